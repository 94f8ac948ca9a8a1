import Glibc
import Synchronization

/// A few threads for one piece of work, joined before it returns. libdispatch has such a call too,
/// but makes system calls that a sandboxed worker may not.
package enum ConcurrentThreads {
  /// Calls `body` with 0 to `count - 1`, each on a thread of its own but the first, which stays on
  /// the caller's. A thread that cannot be started leaves its share to the caller.
  package static func perform(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    var threads: [pthread_t] = []
    var onCaller: [Int] = [0]
    for number in 1..<max(count, 1) {
      let share = Unmanaged.passRetained(Share { body(number) })
      var thread = pthread_t()
      let result = pthread_create(
        &thread, nil,
        { argument in
          Unmanaged<Share>.fromOpaque(argument!).takeRetainedValue().work()
          return nil
        }, share.toOpaque())
      if result == 0 {
        threads.append(thread)
      } else {
        share.release()
        onCaller.append(number)
      }
    }
    for number in onCaller { body(number) }
    for thread in threads { pthread_join(thread, nil) }
  }

  private final class Share: Sendable {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
}

/// Whether work was asked to end.
package final class StopFlag: Sendable {
  private let value = Atomic(false)

  package init() {}

  package var isSet: Bool { value.load(ordering: .acquiring) }

  /// Asks for good.
  package func set() { value.store(true, ordering: .releasing) }
}
