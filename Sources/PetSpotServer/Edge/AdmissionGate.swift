import Synchronization

/// Where work waits or is turned away: photos that come in, for the decoders, searches for the database, and
/// pages for Swift's threads, each at a gate of its own. What it lets in waits for a thread and a decoder or
/// connection in that order;
/// nothing behind it turns work away.
///
/// Those that wait take turns by client, so that one client's many photos delay another's by one.
final class AdmissionGate: Sendable {
  /// How much may be inside, or wait.
  struct Limits: Sendable {
    /// How many may be inside.
    var most: Int
    /// How many may wait before newcomers are turned away.
    var waiting: Int
  }

  private let limits: Limits
  private let state = Mutex(State())

  private struct State {
    var inside = 0
    var byClient: [ClientNetwork: [Turn]] = [:]
    /// The clients of `byClient`, the next first.
    var clients: [ClientNetwork] = []
  }

  /// A request that waits.
  private final class Turn: Sendable {
    let continuation = Mutex<CheckedContinuation<Void, any Error>?>(nil)

    func resume(_ result: Result<Void, any Error>) {
      continuation.withLock { $0.take() }?.resume(with: result)
    }
  }

  /// An empty gate.
  init(_ limits: Limits) { self.limits = limits }

  /// How many are inside.
  var count: Int { state.withLock { $0.inside } }

  /// How many wait.
  var waitingCount: Int { state.withLock { $0.byClient.values.reduce(0) { $0 + $1.count } } }

  /// How many of a client wait.
  func waitingCount(of client: ClientNetwork) -> Int {
    state.withLock { $0.byClient[client]?.count ?? 0 }
  }

  /// Turns a client away before its photo is read. With many waiting, a client still has its share of the
  /// places.
  ///
  /// - Parameter share: how many of a client may wait; nil for any number.
  /// - Throws: 429 when too many of the client wait, 503 when too many wait in all.
  func checkRoom(for client: ClientNetwork, share: Int? = nil) throws(ErrorResponse) {
    if let share, waitingCount(of: client) >= share { throw .throttled(seconds: 2) }
    let most = limits.waiting
    let isFull = state.withLock { state in
      let waiting = state.byClient.mapValues(\.count)
      return waiting.values.reduce(0, +) >= most
        && waiting[client] ?? 0 >= most / (waiting.count + 1)
    }
    if isFull { throw .busy(retryAfter: 5) }
  }

  /// Runs work inside, when it's the client's turn.
  ///
  /// - Throws: `CancellationError` while it waits; what `body` throws.
  func pass<Value>(
    _ client: ClientNetwork, _ body: () async throws -> Value
  ) async throws -> Value {
    try await enter(client)
    defer { leave() }
    return try await body()
  }

  /// The same for work that may turn out to be of another kind: it leaves then, and waits at another gate.
  ///
  /// - Parameter body: is given what does so, to be called once at most; it throws 503 when too many wait there.
  func pass<Value>(
    _ client: ClientNetwork, orChangingTo other: AdmissionGate,
    _ body: (_ change: @escaping @Sendable () async throws -> Void) async throws -> Value
  ) async throws -> Value {
    try await enter(client)
    let held = HeldGate(self)
    defer { held.gate.withLock { $0 }?.leave() }
    return try await body { [self] in
      try other.checkRoom(for: client)
      held.gate.withLock { $0 = nil }
      leave()
      try await other.enter(client)
      held.gate.withLock { $0 = other }
    }
  }

  /// The gate that work is inside of; nil while it waits at another one.
  private final class HeldGate: Sendable {
    let gate: Mutex<AdmissionGate?>
    init(_ gate: AdmissionGate) { self.gate = Mutex(gate) }
  }

  private func enter(_ client: ClientNetwork) async throws {
    let turn = Turn()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        turn.continuation.withLock { $0 = continuation }
        let isIn = state.withLock { state in
          guard state.inside >= limits.most else {
            state.inside += 1
            return true
          }
          if state.byClient[client] == nil { state.clients.append(client) }
          state.byClient[client, default: []].append(turn)
          return false
        }
        if isIn { turn.resume(.success(())) }
        if Task.isCancelled { cancel(turn, of: client) }
      }
    } onCancel: {
      cancel(turn, of: client)
    }
  }

  private func cancel(_ turn: Turn, of client: ClientNetwork) {
    let isWaiting = state.withLock { state in
      guard let index = state.byClient[client]?.firstIndex(where: { $0 === turn }) else {
        return false
      }
      take(index, of: client, &state)
      return true
    }
    if isWaiting { turn.resume(.failure(CancellationError())) }
  }

  /// Lets the next one in: there was no room for any that waits, and now there is for one.
  private func leave() {
    let next: Turn? = state.withLock { state in
      guard let client = state.clients.first, let turns = state.byClient[client] else {
        state.inside -= 1
        return nil
      }
      take(0, of: client, &state)
      // Others come before its next one.
      if turns.count > 1 { state.clients.append(state.clients.removeFirst()) }
      return turns[0]
    }
    next?.resume(.success(()))
  }

  private func take(_ index: Int, of client: ClientNetwork, _ state: inout State) {
    state.byClient[client]?.remove(at: index)
    guard state.byClient[client]?.isEmpty == true else { return }
    state.byClient[client] = nil
    state.clients.removeAll { $0 == client }
  }
}
