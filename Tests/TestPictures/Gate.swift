import Dispatch

/// Holds a thread of the pool inside `prepare` until the test lets it go.
package final class Gate: Sendable {
  private let reached = AsyncStream<Void>.makeStream()
  private let opened = DispatchSemaphore(value: 0)

  package init() {}

  package func wait() {
    reached.continuation.yield()
    opened.wait()
  }

  package func open() { opened.signal() }

  package func untilReached() async {
    var iterator = reached.stream.makeAsyncIterator()
    await iterator.next()
  }
}
