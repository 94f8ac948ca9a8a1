import NIOCore
import Testing

@testable import PetSpotServer

@Suite("Connections of one client")
struct ClientConnectionsTests {
  @Test("A client's places run out, not those of another")
  func perClient() throws {
    let connections = ClientConnections(perClient: 2)
    let first = try #require(connections.take(address("192.0.2.1")))
    #expect(connections.take(try address("192.0.2.1")) != nil)
    #expect(connections.take(try address("192.0.2.1")) == nil)
    #expect(connections.take(try address("::ffff:192.0.2.1")) == nil)
    #expect(connections.take(try address("192.0.2.2")) != nil)
    connections.leave(first)
    #expect(connections.take(try address("192.0.2.1")) != nil)
  }

  @Test("A /64 of IPv6 is one client")
  func network() throws {
    let connections = ClientConnections(perClient: 1)
    #expect(connections.take(try address("2001:db8:0:1::1")) != nil)
    #expect(connections.take(try address("2001:db8:0:1:ffff::2")) == nil)
    #expect(connections.take(try address("2001:db8:0:2::1")) != nil)
  }

  @Test("All places together run out, and without a limit for clients one may have them all")
  func total() throws {
    let connections = ClientConnections(perClient: nil, total: 3)
    let places = try (1...3).map { _ in try #require(connections.take(address("192.0.2.1"))) }
    #expect(connections.take(try address("192.0.2.9")) == nil)
    for place in places { connections.leave(place) }
    #expect(connections.count == 0)
  }

  @Test("Connections without an address count only in all")
  func local() {
    let connections = ClientConnections(perClient: 1, total: 2)
    #expect(connections.take(nil) != nil)
    #expect(connections.take(nil) != nil)
    #expect(connections.take(nil) == nil)
  }

  @Test("A proxy's connections are those of many clients, others' are counted")
  func proxies() throws {
    let proxy = try #require(Network("192.0.2.0/24"))
    let connections = ClientConnections(perClient: 1, proxies: [proxy])
    #expect(connections.take(try address("192.0.2.1")) != nil)
    #expect(connections.take(try address("192.0.2.1")) != nil)
    #expect(connections.take(try address("203.0.113.1")) != nil)
    #expect(connections.take(try address("203.0.113.1")) == nil)
  }

  private func address(_ text: String) throws -> SocketAddress {
    try SocketAddress(ipAddress: text, port: 4711)
  }
}
