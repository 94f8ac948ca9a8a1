import Dispatch
import PhotoIngestion
import Synchronization

/// The threads of `Array.concurrentMap`.
enum ConcurrentMap {
  /// Threads that work on one call, the caller's among them.
  static let width = 8
  /// The others; they stay for the next call.
  fileprivate static let helpers = WorkerPool(threadCount: width - 1)
}

extension Array where Element: Sendable {
  /// `map` for work that waits, several elements at the same time; throws the first error in their order.
  /// Blocks. The caller works too, so calls within calls never wait for a thread.
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

private final class State<Value: Sendable>: Sendable {
  let results: Mutex<[Result<Value, any Error>?]>
  private let count: Int
  private let given = Atomic(0)

  init(_ count: Int) {
    self.count = count
    results = Mutex(Array(repeating: nil, count: count))
  }

  /// The next index that no thread has.
  func next() -> Int? {
    let index = given.wrappingAdd(1, ordering: .relaxed).oldValue
    return index < count ? index : nil
  }
}
