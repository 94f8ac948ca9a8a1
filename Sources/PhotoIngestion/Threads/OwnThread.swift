import Foundation
import Glibc

/// Threads outside of any pool. Foundation's do not say when they cannot be started, and libdispatch makes system
/// calls that a sandboxed worker may not.
enum OwnThread {
  /// Starts a thread that nothing waits for.
  ///
  /// - Parameters:
  ///   - name: at most 15 bytes, for debuggers and `top`.
  ///   - stackBytes: size of its stack.
  /// - Returns: whether it runs; a machine or container may allow no more.
  static func detach(
    _ name: String, stackBytes: Int = 1 << 20, _ work: @escaping @Sendable () -> Void
  ) -> Bool {
    // Which C module owns the initializer of this type depends on what else is imported.
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    pthread_attr_init(attributes)
    defer { pthread_attr_destroy(attributes) }
    pthread_attr_setstacksize(attributes, stackBytes)
    pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
    return start(attributes) {
      Thread.current.name = name
      work()
    } != nil
  }

  /// Calls `body` with 0 to `count - 1`, each on a thread of its own but the first, which stays on
  /// the caller's, and returns when all have. A thread that cannot be started leaves its share to the caller.
  static func perform(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    var threads: [pthread_t] = []
    var onCaller: [Int] = [0]
    for number in 1..<max(count, 1) {
      if let thread = start(nil, { body(number) }) {
        threads.append(thread)
      } else {
        onCaller.append(number)
      }
    }
    for number in onCaller { body(number) }
    for thread in threads { pthread_join(thread, nil) }
  }

  private static func start(
    _ attributes: UnsafeMutablePointer<pthread_attr_t>?, _ work: @escaping @Sendable () -> Void
  ) -> pthread_t? {
    let body = Unmanaged.passRetained(Body(work))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, attributes,
      { argument in
        Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().work()
        return nil
      }, body.toOpaque())
    if result == 0 { return thread }
    body.release()
    return nil
  }

  private final class Body: Sendable {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
}
