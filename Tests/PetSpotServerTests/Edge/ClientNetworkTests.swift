import HTTPTypes
import HummingbirdCore
import NIOCore
import Testing

@testable import PetSpotServer

@Suite("The identity of a client")
struct ClientNetworkTests {
  @Test(
    "A client is an IPv4 address or a /64 of IPv6",
    arguments: [
      ("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"),
      ("2001:db8:0:1::1", "2001:db8:0:1::/64"), ("2001:DB8:0:1:ffff:2:3:4", "2001:db8:0:1::/64"),
      ("2001:db8:0:2::1", "2001:db8:0:2::/64"), ("::1", "::/64"),
    ])
  func text(address: String, text: String) throws {
    let client = try #require(ClientNetwork(address))
    #expect(client.text == text)
    #expect(client == ClientNetwork(try SocketAddress(ipAddress: address, port: 4711)))
  }

  @Test(
    "Other texts are not addresses",
    arguments: ["", "unknown", "192.0.2", "192.0.2.7:80", "::1%lo"])
  func noAddress(text: String) { #expect(ClientNetwork(text) == nil) }

  @Test(
    "Behind a trusted proxy, a client is the nearest address outside the proxies",
    arguments: [
      ("192.0.2.7", "192.0.2.7"), ("203.0.113.9, 192.0.2.7", "192.0.2.7"),
      ("192.0.2.7, 10.0.0.2", "192.0.2.7"), ("2001:db8:0:1::1", "2001:db8:0:1::/64"),
      ("192.0.2.7:4711", "192.0.2.7"), ("[2001:db8:0:1::1]:4711", "2001:db8:0:1::/64"),
      ("192.0.2.7, unknown", "10.0.0.1"), ("10.0.0.2", "10.0.0.1"),
      ("192.0.2.7,", "10.0.0.1"), ("192.0.2.7, ", "10.0.0.1"),
      ("192.0.2.7, , 10.0.0.2", "10.0.0.1"),
      ("192.0.2.7,, 203.0.113.9", "203.0.113.9"), ("", "10.0.0.1"),
    ])
  func behindProxy(forwarded: String, client: String) throws {
    #expect(try origin(forwarded, from: "10.0.0.1") == client)
  }

  @Test("Without a trusted proxy, a client is the connection's address, whatever its headers")
  func claim() throws { #expect(try origin("192.0.2.7", from: "203.0.113.9") == "203.0.113.9") }

  private func origin(_ forwarded: String, from peer: String) throws -> String {
    var configuration = ServerConfiguration()
    configuration.trustedProxies = [try #require(CIDRBlock("10.0.0.0/8"))]
    let name = try #require(HTTPField.Name("X-Forwarded-For"))
    let head = HTTPRequest(
      method: .get, scheme: nil, authority: nil, path: "/", headerFields: [name: forwarded])
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    return ClientRateLimiter(configuration)
      .origin(of: request, from: try SocketAddress(ipAddress: peer, port: 1)).client.text
  }
}
