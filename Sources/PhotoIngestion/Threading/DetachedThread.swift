import Foundation
import Glibc

/// Threads that are not waited for. Foundation's do not tell when they cannot be started.
enum DetachedThread {
  /// Starts a thread.
  ///
  /// - Parameters:
  ///   - name: at most 15 bytes, for debuggers and `top`.
  ///   - stackBytes: size of its stack.
  /// - Returns: whether it runs; a machine or container may allow no more.
  static func start(
    _ name: String, stackBytes: Int = 1 << 20, _ work: @escaping @Sendable () -> Void
  ) -> Bool {
    // Which C module owns the initializer of this type depends on what else is imported.
    let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
    defer { attributes.deallocate() }
    pthread_attr_init(attributes)
    defer { pthread_attr_destroy(attributes) }
    pthread_attr_setstacksize(attributes, stackBytes)
    pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
    let body = Unmanaged.passRetained(
      Body {
        Thread.current.name = name
        work()
      })
    var thread = pthread_t()
    let result = pthread_create(
      &thread, attributes,
      { argument in
        Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().work()
        return nil
      }, body.toOpaque())
    guard result == 0 else {
      body.release()
      return false
    }
    return true
  }

  private final class Body: Sendable {
    let work: @Sendable () -> Void
    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
  }
}
