import Synchronization

/// Lets so many requests at once have photos decoded. Those that wait take turns by client, so that one
/// client's many photos delay another's by one.
final class AdmissionGate: Sendable {
  private let most: Int
  private let waiting: Int
  private let state = Mutex(State())

  private struct State {
    var inside = 0
    var count = 0
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
  ///
  /// - Parameters:
  ///   - most: how many may be inside.
  ///   - waiting: how many may wait before newcomers are turned away.
  init(most: Int, waiting: Int) { (self.most, self.waiting) = (most, waiting) }

  /// How many are inside.
  var count: Int { state.withLock { $0.inside } }

  /// How many wait.
  var waitingCount: Int { state.withLock { $0.count } }

  /// How many of a client wait.
  func waitingCount(of client: ClientNetwork) -> Int {
    state.withLock { $0.byClient[client]?.count ?? 0 }
  }

  /// Turns a client away before its photo is read. With many waiting, a client still has its share of the
  /// places.
  ///
  /// - Throws: 503 when too many wait.
  func checkRoom(for client: ClientNetwork) throws(ErrorResponse) {
    let isFull = state.withLock { state in
      let own = state.byClient[client]?.count ?? 0
      return state.count >= waiting && own >= waiting / (state.clients.count + 1)
    }
    if isFull { throw .busy(retryAfter: 5) }
  }

  /// Runs work inside, when it's the client's turn.
  ///
  /// - Throws: `CancellationError` while it waits; what `work` throws.
  func pass<Value>(
    _ client: ClientNetwork, _ work: () async throws -> Value
  ) async throws -> Value {
    try await enter(client)
    defer { leave() }
    return try await work()
  }

  private func enter(_ client: ClientNetwork) async throws {
    let turn = Turn()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        turn.continuation.withLock { $0 = continuation }
        let isIn = state.withLock { state in
          guard state.inside >= most else {
            state.inside += 1
            return true
          }
          if state.byClient[client] == nil { state.clients.append(client) }
          state.byClient[client, default: []].append(turn)
          state.count += 1
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

  private func leave() {
    let next: Turn? = state.withLock { state in
      guard let client = state.clients.first else {
        state.inside -= 1
        return nil
      }
      let turn = take(0, of: client, &state)
      // Others come before its next one.
      if state.byClient[client] != nil { state.clients.append(state.clients.removeFirst()) }
      return turn
    }
    next?.resume(.success(()))
  }

  @discardableResult
  private func take(_ index: Int, of client: ClientNetwork, _ state: inout State) -> Turn? {
    let turn = state.byClient[client]?.remove(at: index)
    state.count -= 1
    if state.byClient[client]?.isEmpty == true {
      state.byClient[client] = nil
      state.clients.removeAll { $0 == client }
    }
    return turn
  }
}
