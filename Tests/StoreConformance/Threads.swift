import Foundation
import Synchronization

/// Runs `work` on this many threads that begin together. Returns their results, or throws an error of one of them.
func atOnce<Answer: Sendable>(
  _ count: Int, _ work: @escaping @Sendable (Int) throws -> Answer
) throws -> [Answer] {
  let answers = Mutex<[Int: Result<Answer, any Error>]>([:])
  let (start, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
  for index in 0..<count {
    Thread.detachNewThread {
      start.wait()
      let answer = Result { try work(index) }
      answers.withLock { $0[index] = answer }
      end.signal()
    }
  }
  for _ in 0..<count { start.signal() }
  for _ in 0..<count { end.wait() }
  return try answers.withLock { answers in
    try (0..<count).compactMap { try answers[$0]?.get() }
  }
}

/// A started thread whose end others can wait for.
final class StartedThread<Answer: Sendable>: Sendable {
  private let answer = Mutex<Result<Answer, any Error>?>(nil)
  private let end = DispatchSemaphore(value: 0)

  init(_ work: @escaping @Sendable () throws -> Answer) {
    Thread.detachNewThread { [self] in
      let result = Result { try work() }
      answer.withLock { $0 = result }
      end.signal()
    }
  }

  /// `true` after the thread has ended.
  var isOver: Bool { answer.withLock { $0 != nil } }

  /// Waits for the thread's result.
  func wait() throws -> Answer {
    end.wait()
    end.signal()
    guard let result = answer.withLock({ $0 }) else { throw Unanswered() }
    return try result.get()
  }

  private struct Unanswered: Error {}
}

/// A flag that one thread sets and another waits for.
final class Flag: Sendable {
  private let isSet = Mutex(false)

  func set() { isSet.withLock { $0 = true } }

  var value: Bool { isSet.withLock { $0 } }

  /// Waits at most this many milliseconds until the flag is set; returns whether it is.
  @discardableResult
  func wait(milliseconds: Int) -> Bool {
    waitUntil(milliseconds: milliseconds) { value }
  }
}

/// Waits at most this many milliseconds until a condition holds; returns whether it does.
@discardableResult
func waitUntil(milliseconds: Int, _ holds: () -> Bool) -> Bool {
  let end = ContinuousClock.now + .milliseconds(milliseconds)
  while !holds() {
    if ContinuousClock.now > end { return holds() }
    usleep(500)
  }
  return true
}
