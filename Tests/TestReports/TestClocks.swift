package import Foundation
import Synchronization

/// A clock that advances only when a test moves it.
package final class ManualClock: Clock, Sendable {
  package struct Instant: InstantProtocol {
    var offset: Swift.Duration
    package func advanced(by duration: Swift.Duration) -> Self { Self(offset: offset + duration) }
    package func duration(to other: Self) -> Swift.Duration { other.offset - offset }
    package static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Swift.Duration.zero
    var sleepers: [UUID: (until: Swift.Duration, wake: CheckedContinuation<Void, any Error>)] = [:]
  }
  private let state = Mutex(State())

  package init() {}

  package var now: Instant { Instant(offset: state.withLock { $0.now }) }
  package let minimumResolution = Swift.Duration.zero
  package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  package func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let id = UUID()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isOver = state.withLock { state in
          if Task.isCancelled || deadline.offset <= state.now { return true }
          state.sleepers[id] = (deadline.offset, continuation)
          return false
        }
        if isOver {
          continuation.resume(with: Result { try Task.checkCancellation() })
        }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: id) }?.wake
        .resume(throwing: CancellationError())
    }
  }

  package func advance(by duration: Swift.Duration) {
    let due = state.withLock { state in
      state.now += duration
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for id in due.keys { state.sleepers[id] = nil }
      return due.values.map(\.wake)
    }
    for continuation in due { continuation.resume() }
  }

  /// Waits until exactly this many tasks sleep on the clock.
  package func sleepers(_ count: Int) async {
    while sleeperCount != count { await Task.yield() }
  }
}

/// A clock for repositories that a test moves.
package final class TestTime: Sendable {
  private let moment: Mutex<Date>
  package init(_ start: String = "2025-11-20T11:00:00Z") { moment = Mutex(instant(start)) }
  package func advance(_ seconds: Double) { moment.withLock { $0 += seconds } }
  package var now: @Sendable () -> Date { { self.moment.withLock { $0 } } }
}
