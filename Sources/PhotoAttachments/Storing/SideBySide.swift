import Dispatch
import PhotoIngestion
import Synchronization

/// Waits for several things at the same time.
package enum SideBySide {
  /// Threads that wait, the caller's among them.
  static let width = 8
  /// The others; they stay for the next call.
  private static let helpers = WorkerPool(threadCount: width - 1)

  /// What became of each item, in their order; the first error of them when there is one. Blocks. The
  /// caller works too, so calls within calls never wait for a thread.
  package static func map<Item: Sendable, Value: Sendable>(
    _ items: [Item], _ work: @escaping @Sendable (Item) throws(StoreError) -> Value
  ) throws(StoreError) -> [Value] {
    let (state, done) = (State<Value>(items.count), DispatchGroup())
    for _ in items { done.enter() }
    let share = { @Sendable in
      while let index = state.next() {
        let result = Result { () throws(StoreError) in try work(items[index]) }
        state.results.withLock { $0[index] = result }
        done.leave()
      }
    }
    for _ in 1..<max(1, min(width, items.count)) { helpers.add(share) }
    share()
    done.wait()
    var values: [Value] = []
    for case let result? in state.results.withLock({ $0 }) { values.append(try result.get()) }
    return values
  }

  private final class State<Value: Sendable>: Sendable {
    let results: Mutex<[Result<Value, StoreError>?]>
    private let count: Int
    private let given = Atomic(0)

    init(_ count: Int) {
      self.count = count
      results = Mutex(Array(repeating: nil, count: count))
    }

    /// The next one that no thread has.
    func next() -> Int? {
      let index = given.wrappingAdd(1, ordering: .relaxed).oldValue
      return index < count ? index : nil
    }
  }
}
