import Dispatch
import Foundation
import Synchronization

/// Waits for several things at the same time.
enum SideBySide {
  /// Threads that wait.
  private static let width = 8

  /// What became of each item, in their order; the first error of them when there is one. Blocks.
  static func map<Item: Sendable, Value: Sendable>(
    _ items: [Item], _ work: @escaping @Sendable (Item) throws(StoreError) -> Value
  ) throws(StoreError) -> [Value] {
    let (state, group) = (State<Value>(items.count), DispatchGroup())
    for _ in 0..<min(width, items.count) {
      group.enter()
      Thread.detachNewThread {
        while let index = state.next() {
          let result = Result { () throws(StoreError) in try work(items[index]) }
          state.results.withLock { $0[index] = result }
        }
        group.leave()
      }
    }
    group.wait()
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

    /// The next one that nobody has.
    func next() -> Int? {
      let index = given.wrappingAdd(1, ordering: .relaxed).oldValue
      return index < count ? index : nil
    }
  }
}
