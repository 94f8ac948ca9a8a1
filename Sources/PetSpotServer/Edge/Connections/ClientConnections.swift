import NIOCore
import Synchronization

/// Counts open connections, by client and in all, and refuses those above the limits. If all places are taken, the
/// client with the most idle connections loses the one that has been idle for the longest.
///
/// A connection that closes still counts until its last request has ended, because the request may hold descriptors
/// too.
final class ClientConnections: Sendable {
  typealias Number = ObjectIdentifier

  /// Idle connections are closed after this time while more than half of the places are taken.
  private static let crowdedIdle = TimeAmount.seconds(5)
  /// The request of a client's only connection may take this long to arrive.
  private static let arrival = TimeAmount.seconds(1)
  /// A request that has taken this long makes room for a client that has no connection.
  private static let longRequest = TimeAmount.seconds(10)

  private let perClient: Int?
  private let total: Int
  /// Places for new connections while the connections that they replace are closing.
  private let surplus: Int
  private let proxies: [CIDRBlock]
  private let state = Mutex(State())

  private struct Connection {
    let client: ClientNetwork
    let close: @Sendable () -> Void
    var isIdle = true
    /// The time when it became idle or its request began.
    var since: NIODeadline
    var isOpen = true
    /// `true` if the server has asked it to close.
    var isClosing = false
    /// The number of requests that are being answered.
    var requests = 0
  }

  private struct State {
    var all: [Number: Connection] = [:]
    /// Open connections of each client.
    var byClient: [ClientNetwork: Int] = [:]
    /// Open connections that the server hasn't asked to close.
    var staying = 0
    /// Connections that make room next. The last one is closed first.
    var victims: [Victim] = []
    /// The number of idle victims that are reserved for clients without a connection.
    var spared = 0
    /// The times of the last search for victims and of the last `sweep`.
    var searched = NIODeadline.uptimeNanoseconds(0)
    var swept = NIODeadline.uptimeNanoseconds(0)
  }

  /// A connection that may be closed to make room for a new one.
  private struct Victim {
    let number: Number
    let since: NIODeadline
    let isIdle: Bool
    /// Its position among the connections of its client, counted from the most recent one.
    let rank: Int
  }

  /// Creates a counter without connections.
  ///
  /// - Parameters:
  ///   - perClient: connections that one client may have. `nil` limits only the total.
  ///   - total: connections in all. An eighth more may be closing.
  ///   - proxies: networks whose connections carry requests of many clients.
  init(perClient: Int? = 256, total: Int = 10_240, proxies: [CIDRBlock] = []) {
    self.perClient = perClient
    self.total = total
    self.proxies = proxies
    surplus = max(2, total / 8)
  }

  /// The number of places that are taken.
  var count: Int { state.withLock { $0.all.count } }

  /// Takes a place for a new, idle connection. The caller gives it back with `leave`.
  ///
  /// - Parameter close: closes the connection at once. Any thread may call it.
  /// - Returns: `false` if all places are taken.
  func admit(
    _ number: Number, of address: SocketAddress?, at now: NIODeadline = .now(),
    close: @escaping @Sendable () -> Void
  ) -> Bool {
    let client = ClientNetwork(address)
    let isProxy = address?.ipAddress.map { text in proxies.contains { $0.contains(text) } } ?? false
    let (isTaken, closing) = state.withLock { state -> (Bool, [@Sendable () -> Void]) in
      let taken = state.byClient[client, default: 0]
      if let perClient, client != .local, !isProxy, taken >= perClient { return (false, []) }
      var closing = sweep(&state, now)
      // Half of the surplus is reserved for clients without a connection.
      guard state.all.count < total + (taken == 0 ? surplus : surplus / 2) else {
        return (false, closing)
      }
      if state.staying >= total {
        guard let victim = nextVictim(for: client, &state, now) else { return (false, closing) }
        closing.append(victim)
      }
      state.all[number] = Connection(client: client, close: close, since: now)
      state.byClient[client] = taken + 1
      state.staying += 1
      return (true, closing)
    }
    for close in closing { close() }
    return isTaken
  }

  /// Records whether a connection is idle. A request is in progress from its head to the last byte of its response.
  func setIdle(_ isIdle: Bool, _ number: Number, at now: NIODeadline) {
    state.withLock { state in
      state.all[number]?.isIdle = isIdle
      state.all[number]?.since = now
    }
  }

  /// Records that a request is being answered, which may take longer than its connection is open.
  func beginRequest(_ number: Number) { state.withLock { $0.all[number]?.requests += 1 } }

  /// Records that a request is no longer being answered.
  func endRequest(_ number: Number) {
    state.withLock { state in
      guard let connection = state.all[number] else { return }
      let isLast = connection.requests == 1 && !connection.isOpen
      if isLast { state.all[number] = nil } else { state.all[number]?.requests -= 1 }
    }
  }

  /// Gives back the place of a closed connection, or leaves that to its last request.
  func leave(_ number: Number) {
    state.withLock { state in
      guard let connection = state.all[number], connection.isOpen else { return }
      let left = state.byClient[connection.client, default: 1] - 1
      state.byClient[connection.client] = left > 0 ? left : nil
      if !connection.isClosing { state.staying -= 1 }
      if connection.requests == 0 {
        state.all[number] = nil
      } else {
        state.all[number]?.isOpen = false
      }
    }
  }

  // MARK: - Making room

  /// Closes all connections that have been idle for too long. Runs at most once a second, and only while more than half
  /// of the places are taken.
  private func sweep(_ state: inout State, _ now: NIODeadline) -> [@Sendable () -> Void] {
    guard state.all.count > total / 2, now - state.swept >= .seconds(1) else { return [] }
    state.swept = now
    return state.all.filter { $1.isIdle && now - $1.since >= Self.crowdedIdle }
      .keys.compactMap { close($0, &state) }
  }

  /// Chooses the connection that makes room: an idle one, or else the longest request of the client with the most
  /// connections. A client never replaces a connection of a client that has fewer. If that finds nothing, a connection
  /// may be chosen whose first request may be on its way. A client without connections may also replace a long request,
  /// because otherwise many addresses with a request each could shut everybody else out.
  private func nextVictim(
    for newcomer: ClientNetwork, _ state: inout State, _ now: NIODeadline
  ) -> (@Sendable () -> Void)? {
    let held = state.byClient[newcomer, default: 0]
    func index(isIdle: Bool, _ state: State, _ makesRoom: (Victim, Int) -> Bool) -> Int? {
      state.victims.lastIndex { victim in
        guard victim.isIdle == isIdle, let connection = state.all[victim.number],
          connection.since == victim.since, connection.isOpen, !connection.isClosing
        else { return false }
        return makesRoom(victim, state.byClient[connection.client, default: 0])
      }
    }
    func idle(_ state: State, rank: Int = 2) -> Int? {
      // A quarter of the idle victims is reserved for clients without a connection. Otherwise clients that open one
      // connection after another would use them all.
      guard held == 0 || state.victims.count(where: \.isIdle) > state.spared else { return nil }
      return index(isIdle: true, state) { victim, count in
        count >= held && (victim.rank >= rank || now - victim.since >= Self.arrival)
      }
    }
    var chosen = idle(state)
    // Looking at all connections takes a while, so choose several at once, and not too often.
    if chosen == nil, now - state.searched >= .microseconds(20 * Int64(total)) {
      state.searched = now
      let open = state.all.filter { $1.isOpen && !$1.isClosing }
      state.victims = [false, true].flatMap { isIdle in
        victims(among: open.filter { $1.isIdle == isIdle }, isIdle: isIdle)
      }
      state.spared = state.victims.count(where: \.isIdle) / 4
      chosen = idle(state)
    }
    chosen =
      chosen ?? index(isIdle: false, state) { victim, _ in victim.rank > held + 1 }
      ?? idle(state, rank: 1)
      ?? index(isIdle: false, state) { victim, _ in
        held == 0 && now - victim.since >= Self.longRequest
      }
    return chosen.flatMap { close(state.victims.remove(at: $0).number, &state) }
  }

  /// Returns the connections that make room first, in reverse order.
  private func victims(among connections: [Number: Connection], isIdle: Bool) -> [Victim] {
    Dictionary(grouping: connections, by: \.value.client).values.flatMap { theirs in
      theirs.sorted { $0.value.since > $1.value.since }.enumerated().map { rank, one in
        Victim(number: one.key, since: one.value.since, isIdle: isIdle, rank: rank + 1)
      }
    }
    .sorted { ($0.rank, $1.since) < ($1.rank, $0.since) }.suffix(max(32, total / 32))
  }

  private func close(_ number: Number, _ state: inout State) -> (@Sendable () -> Void)? {
    guard let connection = state.all[number], connection.isOpen, !connection.isClosing else {
      return nil
    }
    state.all[number]?.isClosing = true
    state.staying -= 1
    return connection.close
  }
}
