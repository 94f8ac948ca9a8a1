import Foundation
import Glibc

/// Starts threads outside of any pool. Foundation does not report a thread that could not be started, and libdispatch
/// makes system calls that the sandbox forbids.
enum OwnThread {
  /// Starts a thread that nothing waits for.
  ///
  /// - Parameters:
  ///   - name: the name in debuggers and `top`, at most 15 bytes.
  ///   - stackBytes: the size of its stack in bytes.
  /// - Returns: `true` if it started. A machine or container may not allow more threads.
  static func detach(
    _ name: String, stackBytes: Int = 1 << 20, _ work: @escaping @Sendable () -> Void
  ) -> Bool {
    // The pointer is allocated because the module that provides this type's initializer depends on other imports.
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

  /// Calls `body` with 0 to `count - 1` and returns when all calls have returned. The first call runs on the caller's
  /// thread, and each of the others on a new thread. If a thread cannot be started, its call runs on the caller's
  /// thread.
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
