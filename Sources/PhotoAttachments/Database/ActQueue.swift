package import Dispatch
import Synchronization

extension DispatchQueue {
  /// Runs work that blocks, and lets the caller's thread go meanwhile. A cancelled task's work runs
  /// all the same: the way out has to be recorded too.
  package func act<T: Sendable>(
    _ work: @escaping @Sendable () throws(StoreError) -> T
  ) async throws(StoreError) -> T {
    let result: Result<T, StoreError> = await withCheckedContinuation { continuation in
      async {
        do throws(StoreError) {
          continuation.resume(returning: .success(try work()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
}

/// Where async functions wait for acts on a database, a few at the same time: neither on Swift's own
/// threads nor on those that prepare photos.
package final class ActQueue: Sendable {
  private let queues: [DispatchQueue]
  /// Acts that each queue has.
  private let acts: Mutex<[Int]>

  /// - Parameter width: acts at the same time, at most.
  package init(_ label: String, width: Int = 4) {
    queues = (1...width).map { DispatchQueue(label: "\(label)-\($0)") }
    acts = Mutex(Array(repeating: 0, count: width))
  }

  /// The same as `DispatchQueue.act`, on the queue with the fewest acts.
  package func act<T: Sendable>(
    _ work: @escaping @Sendable () throws(StoreError) -> T
  ) async throws(StoreError) -> T {
    let index = acts.withLock { acts in
      let index = acts.indices.min { acts[$0] < acts[$1] } ?? 0
      acts[index] += 1
      return index
    }
    defer { acts.withLock { $0[index] -= 1 } }
    return try await queues[index].act(work)
  }
}
