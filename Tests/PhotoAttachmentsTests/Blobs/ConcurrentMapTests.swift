import Foundation
import Glibc
import Synchronization
import Testing

@testable import PhotoAttachments

@Suite struct ConcurrentMapTests {
  @Test func threadsStayForTheNextCall() throws {
    let threads = Mutex<Set<String>>([])
    for _ in 1...40 {
      let values = try Array(0..<16).concurrentMap { number in
        let thread = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
        threads.withLock { _ = $0.insert(thread ?? "") }
        usleep(500)
        return number * 2
      }
      #expect(values == (0..<16).map { $0 * 2 })
    }
    // The pool's threads, and the threads that called.
    #expect(threads.withLock { $0.count } <= ConcurrentMap.width + 1)
  }

  @Test func severalWaitAtTheSameTime() throws {
    let count = Mutex((here: 0, most: 0))
    _ = try Array(0..<64).concurrentMap { _ in
      count.withLock { count in
        count.here += 1
        count.most = max(count.most, count.here)
      }
      usleep(2000)
      count.withLock { $0.here -= 1 }
    }
    #expect((2...ConcurrentMap.width).contains(count.withLock { $0.most }))
  }

  /// If every thread is busy, the callers do the work themselves.
  @Test func callsWithinCallsEnd() throws {
    let sums = try Array(1...32).concurrentMap { number in
      try Array(1...number).concurrentMap { $0 }.reduce(0, +)
    }
    #expect(sums == (1...32).map { $0 * ($0 + 1) / 2 })
  }

  @Test func theFirstErrorInTheirOrderIsThrown() {
    #expect(throws: StoreError.storage(operation: "read", path: "3", errno: 5)) {
      _ = try Array(1...9).concurrentMap { number in
        if number > 2 { throw StoreError.storage(operation: "read", path: "\(number)", errno: 5) }
      }
    }
    #expect(throws: Never.self) { try [Int]().concurrentMap { $0 } }
  }
}
