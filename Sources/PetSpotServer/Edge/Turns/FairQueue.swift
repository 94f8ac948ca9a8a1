import Synchronization

/// A bounded queue in which clients wait for turns. A turn is the right to do work that only a few requests may do at
/// the same time. The next turn goes to the client that was charged least, so many requests of one client delay those
/// of another client by only one turn.
///
/// Decoders, searches and pages have a queue each. A turn at a decoder costs the seconds of processor time that it
/// took. Every other turn costs 1. A client that was idle is charged as if it had taken its turns until now.
final class FairQueue: Sendable {
  /// The numbers of turns that may run and wait.
  struct Capacity: Sendable {
    /// Turns that may run: of all weights, of weight 1 or more, and so on.
    var running: [Int]
    /// Turns that may wait before more are refused. Each client may always use its share of them.
    var waiting: Int
    /// Turns of one client that may wait. `nil` means any number.
    var waitingPerClient: Int?
    /// Turns that may wait in all, including those that `checkRoom` doesn't refuse. `nil` means any number.
    var waitingInAll: Int?
  }

  /// A request's turn, from `enter` to `leave`.
  final class Turn: Sendable {
    fileprivate let client: ClientNetwork
    fileprivate let weight: Int
    fileprivate let continuation = Mutex<CheckedContinuation<Void, any Error>?>(nil)

    /// The charge until the cost is known.
    fileprivate var estimate: Double { 0.25 * Double(1 << (2 * weight)) }

    fileprivate init(_ client: ClientNetwork, _ weight: Int) {
      self.client = client
      self.weight = weight
    }

    fileprivate func resume(_ result: Result<Void, any Error>) {
      continuation.withLock { $0.take() }?.resume(with: result)
    }
  }

  private let state: Mutex<State>

  /// Creates an empty queue.
  init(_ limits: Capacity) { state = Mutex(State(limits)) }

  /// The number of turns that run.
  var count: Int { state.withLock { $0.running.reduce(0, +) } }

  /// The number of turns that wait.
  var waitingCount: Int { state.withLock { $0.waitingCount } }

  /// Checks whether a turn of a client may wait. Callers that enter only after receiving a body call it before they
  /// receive the body.
  ///
  /// - Throws: 429 if too many turns of the client wait, 503 if too many wait in all.
  func checkRoom(for client: ClientNetwork) throws(ErrorResponse) {
    try state.withLock { state throws(ErrorResponse) in try state.checkRoom(for: client) }
  }

  /// Runs work in a turn that costs 1.
  ///
  /// - Throws: the errors of `enter` and `body`.
  func pass<Value>(
    _ client: ClientNetwork, isRefusable: Bool = true, _ body: () async throws -> Value
  ) async throws -> Value {
    let turn = try await enter(client, isRefusable: isRefusable)
    defer { leave(turn) }
    return try await body()
  }

  /// Waits for a turn. The caller ends it with `leave`.
  ///
  /// - Parameter isRefusable: `true` to refuse a turn that would have to wait if too many wait.
  /// - Throws: the errors of `checkRoom`; 503 if this turn has to make room because its client has the most waiting
  ///   turns; `CancellationError`.
  func enter(
    _ client: ClientNetwork, weight: Int = 0, isRefusable: Bool = true
  ) async throws -> Turn {
    let turn = Turn(client, weight)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        turn.continuation.withLock { $0 = continuation }
        do throws(ErrorResponse) {
          let (starts, removed) = try state.withLock { state throws(ErrorResponse) in
            try state.add(turn, isRefusable: isRefusable)
          }
          if starts { turn.resume(.success(())) }
          removed?.resume(.failure(ErrorResponse.busy(retryAfter: 5)))
        } catch {
          turn.resume(.failure(error))
        }
        if Task.isCancelled { cancel(turn) }
      }
    } onCancel: {
      cancel(turn)
    }
    return turn
  }

  private func cancel(_ turn: Turn) {
    guard state.withLock({ $0.remove(turn) }) else { return }
    turn.resume(.failure(CancellationError()))
  }

  /// Ends a turn, charges its client, and starts the turns that have room now.
  func leave(_ turn: Turn, cost: Double = 1) {
    let started = state.withLock { state in
      state.finish(turn, cost)
      var started: [Turn] = []
      while let next = state.startNext() { started.append(next) }
      return started
    }
    for turn in started { turn.resume(.success(())) }
  }
}

extension FairQueue {
  /// A client's charge and turns.
  private struct Share {
    var charge = 0.0
    var running = 0
    var waiting: [(number: Int, turn: Turn)] = []

    var isIdle: Bool { running == 0 && waiting.isEmpty }
  }

  private struct State {
    /// Idle clients whose charge is remembered, at most.
    static let maxIdle = 1000

    let limits: Capacity
    var shares: [ClientNetwork: Share] = [:]
    /// Turns that run, by weight.
    var running: [Int]
    var waitingCount = 0
    /// The charge at which the latest turn began. Every client is charged at least this much.
    var level = 0.0
    var lastNumber = 0

    init(_ limits: Capacity) {
      self.limits = limits
      running = limits.running.map { _ in 0 }
    }

    func checkRoom(for client: ClientNetwork) throws(ErrorResponse) {
      let own = shares[client]?.waiting.count ?? 0
      if let most = limits.waitingPerClient, own >= most { throw .throttled(seconds: 2) }
      guard waitingCount >= limits.waiting else { return }
      let clients = shares.values.count { !$0.waiting.isEmpty }
      if own >= limits.waiting / (clients + 1) { throw .busy(retryAfter: 5) }
    }

    /// Starts a turn if it has room. Otherwise the turn waits.
    ///
    /// - Returns: the turn that was removed to make room for it.
    mutating func add(
      _ turn: Turn, isRefusable: Bool
    ) throws(ErrorResponse) -> (starts: Bool, removed: Turn?) {
      if hasRoom(for: turn.weight) {
        start(turn)
        return (true, nil)
      }
      if isRefusable { try checkRoom(for: turn.client) }
      let removed = try makeRoom(for: turn.client)
      lastNumber += 1
      waitingCount += 1
      shares[turn.client, default: Share()].waiting.append((lastNumber, turn))
      return (false, removed)
    }

    /// Removes the newest turn of the client with the most waiting turns, if too many wait in all.
    ///
    /// - Throws: 503 if no client has more waiting turns than this one.
    private mutating func makeRoom(for client: ClientNetwork) throws(ErrorResponse) -> Turn? {
      guard let most = limits.waitingInAll, waitingCount >= most else { return nil }
      let greediest = shares.values.max { $0.waiting.count < $1.waiting.count }
      guard let waiting = greediest?.waiting, let last = waiting.last,
        waiting.count > shares[client]?.waiting.count ?? 0
      else { throw .busy(retryAfter: 5) }
      _ = remove(last.turn)
      return last.turn
    }

    /// Removes a waiting turn.
    mutating func remove(_ turn: Turn) -> Bool {
      guard let index = shares[turn.client]?.waiting.firstIndex(where: { $0.turn === turn })
      else { return false }
      shares[turn.client]?.waiting.remove(at: index)
      waitingCount -= 1
      removeIdle(turn.client)
      return true
    }

    /// Starts the waiting turn that has room and whose client was charged least. If two are equal, starts the older
    /// one.
    mutating func startNext() -> Turn? {
      guard waitingCount > 0 else { return nil }
      var best: (charge: Double, number: Int, turn: Turn)?
      for share in shares.values {
        guard let first = share.waiting.first(where: { hasRoom(for: $0.turn.weight) }) else {
          continue
        }
        let charge = max(share.charge, level)
        if let best, (best.charge, best.number) < (charge, first.number) { continue }
        best = (charge, first.number, first.turn)
      }
      guard let turn = best?.turn, remove(turn) else { return nil }
      start(turn)
      return turn
    }

    private func hasRoom(for weight: Int) -> Bool {
      (0...weight).allSatisfy { running[$0...].reduce(0, +) < limits.running[$0] }
    }

    private mutating func start(_ turn: Turn) {
      var share = shares[turn.client] ?? Share()
      level = max(level, share.charge)
      share.charge = level + turn.estimate
      share.running += 1
      shares[turn.client] = share
      running[turn.weight] += 1
    }

    mutating func finish(_ turn: Turn, _ cost: Double) {
      running[turn.weight] -= 1
      shares[turn.client]?.running -= 1
      shares[turn.client]?.charge += cost - turn.estimate
      removeIdle(turn.client)
    }

    /// Deletes a client's entry if a new client would get an equal one. If there are too many entries, deletes the half
    /// of the idle ones that were charged least.
    private mutating func removeIdle(_ client: ClientNetwork) {
      if let share = shares[client], share.isIdle, share.charge <= level { shares[client] = nil }
      guard shares.count > Self.maxIdle + limits.waiting else { return }
      let idle = shares.filter(\.value.isIdle).sorted { $0.value.charge < $1.value.charge }
      for (client, _) in idle.prefix((idle.count + 1) / 2) { shares[client] = nil }
    }
  }
}
