import Glibc
package import PhotoAttachments
import Synchronization

/// Lets calls of a store fail when a test requests it.
package final class Faults: Sendable {
  private struct State {
    var armed: [String: StoreError] = [:]
    var calls: [String] = []
  }
  private let state = Mutex(State())
  /// A flag that is set after a test has read the incomplete picture that a broken storage shows.
  let isHalfRead = Flag()

  package init() {}

  /// Lets the next call with this name fail before it does anything.
  package func fail(
    next call: String, with error: StoreError = .storage(operation: "write", path: "", errno: EIO)
  ) {
    state.withLock { $0.armed[call] = error }
  }

  /// The names of the calls so far.
  package var calls: [String] { state.withLock { $0.calls } }

  /// Lets every call succeed again.
  package func mend() { state.withLock { $0.armed = [:] } }

  /// Records a call, and throws if a test requested that it fails.
  func pass(_ call: String = #function) throws(StoreError) {
    let name = String(call.prefix { $0 != "(" })
    let error = state.withLock { state -> StoreError? in
      state.calls.append(name)
      return state.armed.removeValue(forKey: name)
    }
    if let error { throw error }
  }
}
