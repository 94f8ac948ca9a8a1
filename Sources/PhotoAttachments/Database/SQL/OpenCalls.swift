import Dispatch
import Synchronization

/// Counts the calls in progress of a database, so that closing waits for them and rejects new ones.
package final class OpenCalls: Sendable {
  private let calls = DispatchGroup()
  private let isClosed = Mutex(false)

  package init() {}

  /// Begins a call, which `leave` ends.
  ///
  /// - Throws: `StoreError.database(.closed)`.
  package func enter() throws(StoreError) {
    let isEntered = isClosed.withLock { isClosed in
      if !isClosed { calls.enter() }
      return !isClosed
    }
    guard isEntered else { throw .database(.closed, detail: "") }
  }

  /// Ends a call.
  package func leave() { calls.leave() }

  /// Rejects new calls and waits for those in progress.
  package func close() {
    isClosed.withLock { $0 = true }
    calls.wait()
  }
}
