import NIOCore

/// Measures how fast a request body arrives. Only the time in which the server waits for bytes counts, because TCP
/// holds the client back while the server doesn't read.
struct BodyPace {
  private let limits: GuardLimits
  /// Bytes of this half window and of the previous one. The previous one starts out as fast enough.
  private var bytes = 0
  private var bytesBefore: Int
  private var bytesInAll = 0
  private var pieces = 0
  /// Time waited in this half window, and for the whole body.
  private var waited = TimeAmount.zero
  private var waitedInAll = TimeAmount.zero
  private var waitingSince: NIODeadline?
  /// `true` once the body was too slow or took too long.
  private(set) var isTooSlow = false

  /// Creates the pace of a body that has no bytes yet.
  init(limits: GuardLimits) {
    self.limits = limits
    bytesBefore = Self.leastBytes(limits)
  }

  /// Starts or stops the clock.
  mutating func setWaiting(_ waiting: Bool, at now: NIODeadline) {
    advance(to: now)
    waitingSince = waiting ? now : nil
  }

  /// Counts bytes that arrived in one piece.
  mutating func receive(_ count: Int) {
    bytes += count
    bytesInAll += count
    pieces += 1
  }

  /// `true` if the pieces of the body are so small that they cost too much work.
  var isTooFragmented: Bool { pieces >= limits.crumbs && bytesInAll < pieces * limits.crumbBytes }

  /// The time at which the pace has to be judged next. `nil` while no reader waits.
  var deadline: NIODeadline? {
    waitingSince.map { $0 + min(step - waited, limits.bodyTotal - waitedInAll) }
  }

  private var step: TimeAmount { .nanoseconds(max(1, limits.bodyWindow.nanoseconds / 2)) }

  private static func leastBytes(_ limits: GuardLimits) -> Int {
    Int(Double(limits.bodyBytesPerSecond) * Double(limits.bodyWindow.nanoseconds) / 1e9)
  }

  /// Counts the time until now if a reader waits, and judges each half window that has ended.
  mutating func advance(to now: NIODeadline) {
    guard let since = waitingSince, now > since else { return }
    waitingSince = now
    waited = waited + (now - since)
    waitedInAll = waitedInAll + (now - since)
    if waitedInAll >= limits.bodyTotal { isTooSlow = true }
    while waited >= step {
      if bytesBefore + bytes < Self.leastBytes(limits) { isTooSlow = true }
      bytesBefore = bytes
      bytes = 0
      waited = waited - step
    }
  }
}
