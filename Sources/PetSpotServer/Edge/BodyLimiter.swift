import NIOCore
import Synchronization

/// Limits the request bodies in progress, by client and in all, so that they don't use up memory and disk space. A body
/// counts from its head until its request is answered.
///
/// If all places are taken, a new body replaces the slowest body of the client with the most bodies, unless the new
/// body's client has just as many. Slow bodies can't shut other clients out, however many clients send them.
final class BodyLimiter: Sendable {
  /// The most bodies and bytes that may be in progress.
  struct Capacity: Sendable {
    /// Bodies of one client. `nil` means any number.
    var perClient: Int? = 32
    /// Bodies of all clients. Each may hold a megabyte of memory.
    var total = 512
    /// Received bytes of all bodies. They stay on disk until their requests are answered.
    var bytes = 4 << 30
  }

  private let limits: Capacity
  private let state = Mutex(State())

  private struct State {
    var bodies: [ObjectIdentifier: IncomingBody] = [:]
    var bytes = 0

    func count(of client: ClientNetwork) -> Int { bodies.values.count { $0.client == client } }
  }

  /// Creates a limiter without bodies.
  init(limits: Capacity = Capacity()) { self.limits = limits }

  /// The number of bodies in progress.
  var count: Int { state.withLock { $0.bodies.count } }

  /// Counts a body until the caller passes it to `finish`.
  ///
  /// - Throws: 429 if its client has too many bodies, 503 if no body can be ended to make room.
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

  /// Stops counting a body, whose bytes have been deleted.
  func finish(_ body: IncomingBody) {
    state.withLock { state in
      guard state.bodies[ObjectIdentifier(body.channel)] === body else { return }
      remove(body, &state)
    }
  }

  /// Ends the body that arrives on a channel because it's too slow.
  ///
  /// - Returns: `false` if no body arrives on the channel.
  func endSlow(on channel: any Channel) -> Bool {
    state.withLock { $0.bodies[ObjectIdentifier(channel)] }?.end(.slow) ?? false
  }

  /// Counts bytes of a body. Ends the largest body if all of them have too many bytes.
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

  /// Returns the body that is ended first to make room: the one with the greatest measure among those that still
  /// arrive. The measure compares the bodies of its client, then the body itself.
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

/// An event that asks the `ConnectionGuard` of a connection to end the body that arrives.
struct BodyAbort: Sendable {}

/// A request body that arrives, or has arrived and is being processed.
final class IncomingBody: Sendable {
  /// Why the server stopped receiving a body.
  enum End: Sendable {
    case slow, crowded

    /// The response to its request.
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
    self.client = client
    self.channel = channel
    self.limiter = limiter
  }

  /// Received bytes. Changes only under the limiter's lock.
  fileprivate var received: Int {
    get { count.load(ordering: .relaxed) }
    set { count.store(newValue, ordering: .relaxed) }
  }

  fileprivate var isReceiving: Bool { state.withLock { !$0.isComplete && $0.end == nil } }

  /// Bytes per second. A body that has just begun counts as fast.
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

  /// Counts received bytes.
  func receive(_ count: Int) { limiter.add(count, to: self) }

  /// Records that the last byte has arrived.
  ///
  /// - Throws: 408 or 503 if the server ended the body, not the client.
  func receiveEnd() throws(ErrorResponse) {
    let end = state.withLock { state in
      if state.end == nil { state.isComplete = true }
      return state.end
    }
    if let end { throw end.answer }
  }
}
