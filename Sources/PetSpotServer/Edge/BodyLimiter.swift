import NIOCore
import Synchronization

/// Limits the request bodies under way: of one client, and of all by memory and disk. A body counts from
/// its head until its request is answered.
///
/// When all places are taken, the slowest body of the client that has the most makes room for the next,
/// unless the next one's client has as many: slow bodies, from however many clients, shut no other out.
final class BodyLimiter: Sendable {
  /// How many bodies there may be.
  struct Limits: Sendable {
    /// Of one client; nil for any number.
    var perClient: Int? = 32
    /// Of all clients: each may hold a megabyte of memory.
    var total = 512
    /// Bytes of all that were received, which lie on the disk until their requests are answered.
    var bytes = 4 << 30
  }

  private let limits: Limits
  private let state = Mutex(State())

  private struct State {
    var bodies: [ObjectIdentifier: IncomingBody] = [:]
    var bytes = 0

    func count(of client: ClientNetwork) -> Int { bodies.values.count { $0.client == client } }
  }

  /// Counts from none.
  init(limits: Limits = Limits()) { self.limits = limits }

  /// How many are under way.
  var count: Int { state.withLock { $0.bodies.count } }

  /// Counts a body, which the caller gives back with `finish`.
  ///
  /// - Throws: 429 when its client has as many as it may, 503 when no other makes room.
  func begin(
    of client: ClientNetwork, on channel: any Channel
  ) throws(ErrorResponse) -> IncomingBody {
    try state.withLock { state throws(ErrorResponse) in
      let count = state.count(of: client)
      if let perClient = limits.perClient, count >= perClient {
        var answer = ErrorResponse.throttled(seconds: 5)
        answer.message =
          "Your network is sending too many request bodies at once. Wait until one has been answered."
        throw answer
      }
      if state.bodies.count >= limits.total {
        let now = ContinuousClock.now
        let slowest = choice(state) { body, theirs in (theirs.count, -body.speed(at: now)) }
        guard let slowest, state.count(of: slowest.client) > count, end(slowest, &state) else {
          throw .busy(retryAfter: 5)
        }
      }
      let body = IncomingBody(of: client, on: channel, limiter: self)
      state.bodies[ObjectIdentifier(channel)] = body
      return body
    }
  }

  /// Counts a body no longer; its bytes are gone.
  func finish(_ body: IncomingBody) {
    state.withLock { state in
      guard state.bodies[ObjectIdentifier(body.channel)] === body else { return }
      remove(body, &state)
    }
  }

  /// Ends the body that comes in on a channel because it's too slow.
  ///
  /// - Returns: false when there is none.
  func endSlow(on channel: any Channel) -> Bool {
    state.withLock { $0.bodies[ObjectIdentifier(channel)] }?.end(.slow) ?? false
  }

  /// Counts bytes of a body.
  fileprivate func add(_ count: Int, to body: IncomingBody) {
    state.withLock { state in
      guard state.bodies[ObjectIdentifier(body.channel)] === body else { return }
      body.received += count
      state.bytes += count
      guard state.bytes > limits.bytes else { return }
      let largest = choice(state) { body, theirs in
        (theirs.reduce(0) { $0 + $1.received }, Double(body.received))
      }
      if let largest { _ = end(largest, &state) }
    }
  }

  /// The body that comes in and is the first to make room: the largest by a measure of its client's
  /// share and of itself.
  private func choice(
    _ state: State, by measure: (IncomingBody, _ theirs: [IncomingBody]) -> (Int, Double)
  ) -> IncomingBody? {
    Dictionary(grouping: state.bodies.values, by: \.client).values
      .flatMap { theirs in theirs.filter(\.isReceiving).map { ($0, measure($0, theirs)) } }
      .max { $0.1 < $1.1 }?.0
  }

  private func end(_ body: IncomingBody, _ state: inout State) -> Bool {
    guard body.end(.crowded) else { return false }
    body.channel.triggerUserOutboundEvent(BodyAbort(), promise: nil)
    remove(body, &state)
    return true
  }

  private func remove(_ body: IncomingBody, _ state: inout State) {
    state.bodies[ObjectIdentifier(body.channel)] = nil
    state.bytes -= body.received
  }
}

/// Asks a connection's guard to end the body that it receives.
struct BodyAbort: Sendable {}

/// A request body that comes in, or has come in and is worked on.
final class IncomingBody: Sendable {
  /// Why a body ended before its end.
  enum End: Sendable {
    case slow, crowded

    /// The answer to its request.
    var answer: ErrorResponse {
      switch self {
      case .slow: .slowBody
      case .crowded: .busy(retryAfter: 5)
      }
    }
  }

  fileprivate let client: ClientNetwork
  fileprivate let channel: any Channel
  private let limiter: BodyLimiter
  private let began = ContinuousClock.now
  private let count = Atomic(0)
  private let state = Mutex((isComplete: false, end: End?.none))

  fileprivate init(
    of client: ClientNetwork, on channel: any Channel, limiter: BodyLimiter
  ) {
    (self.client, self.channel, self.limiter) = (client, channel, limiter)
  }

  /// Bytes that came; changed under the limiter's lock.
  fileprivate var received: Int {
    get { count.load(ordering: .relaxed) }
    set { count.store(newValue, ordering: .relaxed) }
  }

  fileprivate var isReceiving: Bool { state.withLock { !$0.isComplete && $0.end == nil } }

  /// Bytes a second; a body that began just now counts as a fast one.
  fileprivate func speed(at now: ContinuousClock.Instant) -> Double {
    Double(received + 160_000) / ((now - began) / .seconds(1) + 1)
  }

  fileprivate func end(_ end: End) -> Bool {
    state.withLock { state in
      guard !state.isComplete, state.end == nil else { return false }
      state.end = end
      return true
    }
  }

  /// Counts bytes that came.
  func receive(_ count: Int) { limiter.add(count, to: self) }

  /// Notes that the last byte came.
  ///
  /// - Throws: 408 or 503 when it wasn't the client that ended the body.
  func receiveEnd() throws(ErrorResponse) {
    let end = state.withLock { state in
      if state.end == nil { state.isComplete = true }
      return state.end
    }
    if let end { throw end.answer }
  }
}
