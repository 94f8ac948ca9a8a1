import Foundation
import Glibc
import Synchronization

/// Waits for other processes and connections. SQLite's own waiting sleeps longer from try to try, up to
/// a tenth of a second: where many write, whoever came last gets the lock, and others starve.
final class Patience: Sendable {
  private let seconds: TimeInterval
  private let microseconds: ClosedRange<UInt32>
  private let began = Mutex(ContinuousClock.now)

  /// - Parameters:
  ///   - seconds: how long it waits altogether.
  ///   - microseconds: how long from one try to the next.
  init(seconds: TimeInterval, microseconds: ClosedRange<UInt32>) {
    (self.seconds, self.microseconds) = (seconds, microseconds)
  }

  /// Whether to try again, after a while.
  @Sendable func waits(_ tries: Int) -> Bool {
    if tries == 0 { began.withLock { $0 = .now } }
    let waited = began.withLock { ContinuousClock.now - $0 }
    guard waited < .seconds(seconds) else { return false }
    usleep(UInt32.random(in: microseconds))
    return true
  }
}
