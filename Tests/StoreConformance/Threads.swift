import Foundation
import Synchronization

/// Runs `work` on so many threads that begin together; gives their answers, or throws an error of one.
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

/// A thread that was started and can be waited for.
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

  /// Whether it has come to an end.
  var isOver: Bool { answer.withLock { $0 != nil } }

  /// Waits for its answer.
  func wait() throws -> Answer {
    end.wait()
    end.signal()
    guard let result = answer.withLock({ $0 }) else { throw Unanswered() }
    return try result.get()
  }

  private struct Unanswered: Error {}
}

/// Something that becomes true on one thread and is waited for on another.
final class Flag: Sendable {
  private let isSet = Mutex(false)

  func set() { isSet.withLock { $0 = true } }

  var value: Bool { isSet.withLock { $0 } }

  /// Waits until it is set, or for so many milliseconds; tells whether it is.
  @discardableResult
  func wait(milliseconds: Int) -> Bool {
    waitUntil(milliseconds: milliseconds) { value }
  }
}

/// Waits until something holds, or for so many milliseconds; tells whether it does.
@discardableResult
func waitUntil(milliseconds: Int, _ holds: () -> Bool) -> Bool {
  let end = ContinuousClock.now + .milliseconds(milliseconds)
  while !holds() {
    if ContinuousClock.now > end { return holds() }
    usleep(500)
  }
  return true
}
