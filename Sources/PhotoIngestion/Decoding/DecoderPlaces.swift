import Dispatch
import Synchronization

/// The places of those that may decode at the same time; who finds none waits, first come, first
/// served.
final class DecoderPlaces: Sendable {
  private let state: Mutex<(free: Int, waiting: [Waiter])>
  private let limits: DecoderLimits

  init(_ count: Int, limits: DecoderLimits) {
    state = Mutex((max(1, count), []))
    self.limits = limits
  }

  /// Takes a place, as soon as one is free.
  ///
  /// - Throws: `PhotoError.crowded` when none gets free in `DecoderLimits.waitSeconds` or too many
  ///   wait; `.cancelled` when the caller's work is cancelled meanwhile.
  func take() throws(PhotoError) {
    let waiter = try state.withLock { state throws(PhotoError) -> Waiter? in
      if state.free > 0 {
        state.free -= 1
        return nil
      }
      guard state.waiting.count < limits.waitingPhotos else { throw .crowded(seconds: 0) }
      let waiter = Waiter()
      state.waiting.append(waiter)
      return waiter
    }
    guard let waiter else { return }
    let deadline = ContinuousClock.now + .seconds(limits.waitSeconds)
    while waiter.turn.wait(timeout: .now() + .milliseconds(50)) == .timedOut {
      let isLate = ContinuousClock.now >= deadline
      guard isLate || WorkerPool.isCancelled else { continue }
      let waited = state.withLock { state in
        let place = state.waiting.firstIndex { $0 === waiter }
        if let place { state.waiting.remove(at: place) }
        return place != nil
      }
      if waited { throw isLate ? .crowded(seconds: limits.waitSeconds) : .cancelled }
      // Its turn came this very moment.
    }
  }

  /// Gives a place back, to who waits longest.
  func give() {
    state.withLock { state in
      if state.waiting.isEmpty {
        state.free += 1
      } else {
        state.waiting.removeFirst().turn.signal()
      }
    }
  }

  /// How many wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  private final class Waiter: Sendable {
    let turn = DispatchSemaphore(value: 0)
  }
}
