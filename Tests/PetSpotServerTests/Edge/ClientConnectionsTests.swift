import NIOCore
import Synchronization
import Testing

@testable import PetSpotServer

@Suite("Connections of clients")
struct ClientConnectionsTests {
  @Test("If one client's places run out, other clients keep theirs")
  func perClient() throws {
    let table = Table(perClient: 2)
    let first = try #require(table.open("192.0.2.1"))
    #expect(table.open("192.0.2.1") != nil)
    #expect(table.open("192.0.2.1") == nil)
    #expect(table.open("::ffff:192.0.2.1") == nil)
    #expect(table.open("192.0.2.2") != nil)
    table.leave(first)
    #expect(table.open("192.0.2.1") != nil)
  }

  @Test("A /64 of IPv6 is one client")
  func network() throws {
    let table = Table(perClient: 1)
    #expect(table.open("2001:db8:0:1::1") != nil)
    #expect(table.open("2001:db8:0:1:ffff::2") == nil)
    #expect(table.open("2001:db8:0:2::1") != nil)
  }

  @Test("Connections without an address count only toward the total")
  func local() {
    let table = Table(perClient: 1, total: 2)
    for _ in 0..<2 { table.setBusy(table.open(nil)) }
    #expect(table.open(nil) == nil)
  }

  @Test("Connections of a trusted proxy don't count toward a client's limit, but others do")
  func proxies() throws {
    let proxy = try #require(CIDRBlock("192.0.2.0/24"))
    let table = Table(perClient: 1, proxies: [proxy])
    #expect(table.open("192.0.2.1") != nil)
    #expect(table.open("192.0.2.1") != nil)
    #expect(table.open("203.0.113.1") != nil)
    #expect(table.open("203.0.113.1") == nil)
  }

  @Test(
    "When all places are taken, the client with the most idle connections loses its longest idle one"
  )
  func idle() throws {
    let table = Table(total: 5)
    let lone = table.open("192.0.2.1")
    let busy = table.open("192.0.2.2")
    let many = (0..<3).map { _ in table.open("192.0.2.2") }
    table.setBusy(busy)
    // This one has been idle for less time than the next one.
    table.setBusy(many[0])
    table.setIdle(many[0])
    #expect(table.open("192.0.2.3") != nil)
    #expect(table.closed == [many[1]])
    #expect(![lone, busy].contains(table.closed[0]))
  }

  @Test("A client can't displace one that has fewer connections")
  func fewer() throws {
    let table = Table(total: 3)
    let idle = table.open("192.0.2.1")
    for _ in 0..<2 { table.setBusy(table.open("192.0.2.2")) }
    #expect(table.open("192.0.2.2") == nil)
    #expect(table.closed.isEmpty)
    table.now = table.now + .seconds(1)
    #expect(table.open("192.0.2.3") != nil)
    #expect(table.closed == [idle])
  }

  @Test(
    "Without idle connections, the client with the most connections loses its longest request"
  )
  func busy() throws {
    let table = Table(total: 4)
    let many = (0..<3).map { _ in table.open("192.0.2.1") } + [table.open("192.0.2.2")]
    for number in [many[1], many[0], many[2], many[3]] { table.setBusy(number) }
    #expect(table.open("192.0.2.1") == nil)
    #expect(table.closed.isEmpty)
    #expect(table.open("192.0.2.3") != nil)
    #expect(table.closed == [many[1]])
  }

  @Test(
    "A client's only connection stays while its request may be on its way and others have several")
  func onlyOne() throws {
    let table = Table(total: 4)
    let many = (0..<3).map { _ in table.open("192.0.2.1") }
    for number in many { table.setBusy(number) }
    #expect(table.open("192.0.2.2") != nil)
    #expect(table.open("192.0.2.3") != nil)
    #expect(table.closed == [many[0]])
  }

  @Test("A client without a connection displaces a request that has taken ten seconds")
  func long() throws {
    let table = Table(total: 4)
    let all = (1...4).map { table.open("192.0.2.\($0)") }
    for number in [all[2], all[0], all[1], all[3]] { table.setBusy(number) }
    #expect(table.open("192.0.2.5") == nil)
    table.now = table.now + .seconds(10)
    #expect(table.open("192.0.2.4") == nil)
    #expect(table.open("192.0.2.5") != nil)
    #expect(table.closed == [all[2]])
  }

  @Test("While displaced connections are closing, an eighth more are accepted")
  func closing() throws {
    let table = Table(perClient: nil, total: 8)
    let first = (0..<8).map { _ in table.open("192.0.2.1") }
    #expect(table.open("192.0.2.2") != nil)
    #expect(table.open("192.0.2.2") == nil)
    for number in first { table.leave(number) }
    #expect(table.open("192.0.2.2") != nil)
  }

  @Test("Half of the surplus for closing connections is reserved for clients without one")
  func closingForOthers() {
    let table = Table(perClient: nil, total: 16)
    for _ in 0..<17 { #expect(table.open("192.0.2.1") != nil) }
    #expect(table.open("192.0.2.1") == nil)
    #expect(table.open("192.0.2.2") != nil)
  }

  @Test("A client that keeps opening connections leaves room for clients without one")
  func churning() {
    let table = Table(perClient: nil, total: 256, step: .microseconds(50))
    for _ in 0..<256 { table.open("192.0.2.1") }
    for _ in 0..<40 {
      table.open("192.0.2.1")
      table.leave(table.closed.last)
    }
    #expect(table.open("192.0.2.2") != nil)
  }

  @Test("A place is taken until the last request has ended, even if its connection is closed")
  func request() throws {
    let table = Table()
    let number = table.open("192.0.2.1")
    table.connections.beginRequest(try #require(number))
    table.leave(number)
    #expect(table.connections.count == 1)
    table.connections.endRequest(try #require(number))
    #expect(table.connections.count == 0)
  }

  @Test("Above half of the places, connections that are idle for five seconds are closed")
  func crowded() throws {
    let table = Table(total: 4)
    let old = (0..<2).map { _ in table.open("192.0.2.1") }
    table.setBusy(old[1])
    table.now = table.now + .seconds(6)
    #expect(table.open("192.0.2.2") != nil)
    #expect(table.closed.isEmpty)
    #expect(table.open("192.0.2.3") != nil)
    #expect(table.closed == [old[0]])
  }

  @Test(
    "The descriptor limit suffices for all places, their files, bodies and the rest",
    arguments: [(1024, 2), (20_000, 2), (32_768, 64), (1 << 20, 128), (.max, 2)])
  func descriptors(limit: Int, cores: Int) {
    let shares = DescriptorShares(limit: limit, cores: cores)
    let connections = shares.connections + shares.connections / 8
    #expect(2 * connections + 2 * shares.bodies + 64 + 256 + 16 * cores <= limit)
    #expect(shares.connections >= 200 && shares.connections <= 10_240)
  }
}

/// Numbered connections, with a clock that each event advances by `step`.
private final class Table {
  let connections: ClientConnections
  var now = NIODeadline.uptimeNanoseconds(1)
  var closed: [ObjectIdentifier] { told.all.withLock { $0 } }
  private let step: TimeAmount
  private let told = Told()
  private var kept: [Mark] = []

  private final class Mark: Sendable {}
  private final class Told: Sendable {
    let all = Mutex<[ObjectIdentifier]>([])
  }

  init(
    perClient: Int? = 256, total: Int = 10_240, proxies: [CIDRBlock] = [],
    step: TimeAmount = .milliseconds(1)
  ) {
    self.step = step
    connections = ClientConnections(perClient: perClient, total: total, proxies: proxies)
  }

  @discardableResult
  func open(_ address: String?) -> ObjectIdentifier? {
    kept.append(Mark())
    now = now + step
    let number = ObjectIdentifier(kept[kept.count - 1])
    let peer = address.flatMap { try? SocketAddress(ipAddress: $0, port: 4711) }
    let isTaken = connections.admit(number, of: peer, at: now) { [told] in
      told.all.withLock { $0.append(number) }
    }
    return isTaken ? number : nil
  }

  func setBusy(_ number: ObjectIdentifier?) { set(number, false) }
  func setIdle(_ number: ObjectIdentifier?) { set(number, true) }

  private func set(_ number: ObjectIdentifier?, _ isIdle: Bool) {
    now = now + step
    if let number { connections.setIdle(isIdle, number, at: now) }
  }

  func leave(_ number: ObjectIdentifier?) {
    if let number { connections.leave(number) }
  }
}
