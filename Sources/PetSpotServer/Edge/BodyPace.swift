import NIOCore

/// Measures how fast one request body comes, counting only time in which the server waits for it:
/// while the server itself does not read, TCP holds the client back, which is not the client's fault.
struct BodyPace {
  private let limits: GuardLimits
  /// Bytes of this half window and of the one before, which starts out as fast enough.
  private var bytes = 0
  private var bytesBefore: Int
  private var (bytesInAll, pieces) = (0, 0)
  /// Time waited in this half window, and for the whole body.
  private var waited = TimeAmount.zero
  private var waitedInAll = TimeAmount.zero
  private var waitingSince: NIODeadline?
  /// Whether the body came too slowly or takes too long; stays true.
  private(set) var isTooSlow = false

  /// The pace of a body of which nothing has come.
  init(limits: GuardLimits) {
    self.limits = limits
    bytesBefore = Self.leastBytes(limits)
  }

  /// Starts or stops to count time.
  mutating func setWaiting(_ waiting: Bool, at now: NIODeadline) {
    advance(to: now)
    waitingSince = waiting ? now : nil
  }

  /// Counts bytes of the body, which came in one piece.
  mutating func receive(_ count: Int) {
    bytes += count
    bytesInAll += count
    pieces += 1
  }

  /// Whether the body comes in pieces so small that they cost more than they bring.
  var isCrumbs: Bool { pieces >= limits.crumbs && bytesInAll < pieces * limits.crumbBytes }

  /// When the pace has to be judged next; nil while no reader waits.
  var deadline: NIODeadline? {
    waitingSince.map { $0 + min(step - waited, limits.bodyTotal - waitedInAll) }
  }

  private var step: TimeAmount { .nanoseconds(max(1, limits.bodyWindow.nanoseconds / 2)) }

  private static func leastBytes(_ limits: GuardLimits) -> Int {
    Int(Double(limits.bodyBytesPerSecond) * Double(limits.bodyWindow.nanoseconds) / 1e9)
  }

  /// Counts the time up to now, if a reader waits, and judges each half window that is over.
  mutating func advance(to now: NIODeadline) {
    guard let since = waitingSince, now > since else { return }
    waitingSince = now
    waited = waited + (now - since)
    waitedInAll = waitedInAll + (now - since)
    if waitedInAll >= limits.bodyTotal { isTooSlow = true }
    while waited >= step {
      if bytesBefore + bytes < Self.leastBytes(limits) { isTooSlow = true }
      (bytesBefore, bytes, waited) = (bytes, 0, waited - step)
    }
  }
}
