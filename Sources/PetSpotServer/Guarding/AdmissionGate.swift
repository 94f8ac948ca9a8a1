import Synchronization

/// Where work for the decoders waits or is turned away: photos that come in, and sizes of those that are
/// here. What it lets in waits for a thread and a decoder in that order; nothing behind it turns work away.
///
/// Those that wait take turns by client, so that one client's many photos delay another's by one.
final class AdmissionGate: Sendable {
  /// What asks for a decoder.
  enum Work: Sendable { case photo, size }

  /// How much may be inside, or wait.
  struct Limits: Sendable {
    /// How many may be inside.
    var most: Int
    /// How many of them may make sizes.
    var mostSizes = Int.max
    /// How many photos may wait before newcomers are turned away.
    var waitingPhotos: Int
    /// How many sizes may.
    var waitingSizes = 64
  }

  private let limits: Limits
  private let state = Mutex(State())

  private struct State {
    var (inside, sizesInside) = (0, 0)
    var byClient: [ClientNetwork: [Turn]] = [:]
    /// The clients of `byClient`, the next first.
    var clients: [ClientNetwork] = []

    mutating func count(_ work: Work, _ change: Int) {
      inside += change
      if work == .size { sizesInside += change }
    }
  }

  /// A request that waits.
  private final class Turn: Sendable {
    let work: Work
    let continuation = Mutex<CheckedContinuation<Void, any Error>?>(nil)

    init(_ work: Work) { self.work = work }

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

  /// How much work of a client waits.
  func waitingCount(of client: ClientNetwork, _ work: Work) -> Int {
    state.withLock { $0.byClient[client]?.count { $0.work == work } ?? 0 }
  }

  /// Turns a client away before its photo is read. With many waiting, a client still has its share of the
  /// places.
  ///
  /// - Throws: 503 when too many wait.
  func checkRoom(for client: ClientNetwork, _ work: Work = .photo) throws(ErrorResponse) {
    let most = work == .photo ? limits.waitingPhotos : limits.waitingSizes
    let isFull = state.withLock { state in
      let waiting = state.byClient.mapValues { $0.count { $0.work == work } }.filter {
        $0.value > 0
      }
      return waiting.values.reduce(0, +) >= most
        && waiting[client] ?? 0 >= most / (waiting.count + 1)
    }
    if isFull { throw .busy(retryAfter: 5) }
  }

  /// Runs work inside, when it's the client's turn.
  ///
  /// - Throws: `CancellationError` while it waits; what `body` throws.
  func pass<Value>(
    _ client: ClientNetwork, _ work: Work = .photo, _ body: () async throws -> Value
  ) async throws -> Value {
    try await enter(client, work)
    defer { leave(work) }
    return try await body()
  }

  private func admits(_ work: Work, _ state: State) -> Bool {
    state.inside < limits.most && (work == .photo || state.sizesInside < limits.mostSizes)
  }

  private func enter(_ client: ClientNetwork, _ work: Work) async throws {
    let turn = Turn(work)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        turn.continuation.withLock { $0 = continuation }
        let isIn = state.withLock { state in
          guard !admits(work, state) else {
            state.count(work, 1)
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
  private func leave(_ work: Work) {
    let next: Turn? = state.withLock { state in
      state.count(work, -1)
      for client in state.clients {
        guard let turns = state.byClient[client],
          let index = turns.firstIndex(where: { admits($0.work, state) })
        else { continue }
        state.count(turns[index].work, 1)
        take(index, of: client, &state)
        // Others come before its next one.
        if turns.count > 1 {
          state.clients.removeAll { $0 == client }
          state.clients.append(client)
        }
        return turns[index]
      }
      return nil
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
