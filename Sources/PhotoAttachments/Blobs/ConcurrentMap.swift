import Dispatch
import PhotoIngestion
import Synchronization

/// The threads that `Array.concurrentMap` uses.
enum ConcurrentMap {
  /// The number of threads that work on one call, including the caller's.
  static let width = 8
  /// The other threads, which are reused by later calls.
  fileprivate static let helpers = WorkerPool(threadCount: width - 1)
}

extension Array where Element: Sendable {
  /// Maps elements concurrently, for work that mostly waits. Throws the error of the first element that failed. Blocks.
  /// The caller's thread works too, so nested calls never wait for a free thread.
  package func concurrentMap<Value: Sendable>(
    _ work: @escaping @Sendable (Element) throws -> Value
  ) throws(StoreError) -> [Value] {
    let state = State<Value>(count)
    let done = DispatchGroup()
    for _ in self { done.enter() }
    let share = { @Sendable in
      while let index = state.next() {
        let result = Result { try work(self[index]) }
        state.results.withLock { $0[index] = result }
        done.leave()
      }
    }
    for _ in 1..<Swift.max(1, Swift.min(ConcurrentMap.width, count)) {
      ConcurrentMap.helpers.add(share)
    }
    share()
    done.wait()
    var values: [Value] = []
    do {
      for case let result? in state.results.withLock({ $0 }) { values.append(try result.get()) }
    } catch { throw StoreError(error) }
    return values
  }
}

/// The progress of one call: the indices that were taken, and the results so far.
private final class State<Value: Sendable>: Sendable {
  let results: Mutex<[Result<Value, any Error>?]>
  private let count: Int
  private let given = Atomic(0)

  init(_ count: Int) {
    self.count = count
    results = Mutex(Array(repeating: nil, count: count))
  }

  /// Returns the next index that no thread has taken.
  func next() -> Int? {
    let index = given.wrappingAdd(1, ordering: .relaxed).oldValue
    return index < count ? index : nil
  }
}
