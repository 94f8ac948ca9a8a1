import Foundation
import Glibc
import Synchronization
import Testing
import TestPictures

@testable import PhotoIngestion

@Suite struct WorkerPoolTests {
  @Test func noMoreThanItsThreadsRunAtOnce() async throws {
    let pool = WorkerPool(threadCount: 3)
    let counts = Counts()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<200 {
        group.addTask {
          try await pool.run {
            counts.begin()
            usleep(200)
            counts.end()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(counts.value.total == 200)
    #expect(counts.value.most <= 3)
  }

  @Test func stacksHaveOneMebibyte() async throws {
    let size = try await WorkerPool(threadCount: 1).run {
      // Glibc declares the function only for GNU sources.
      typealias Look = @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32
      let look = unsafeBitCast(try #require(dlsym(nil, "pthread_getattr_np")), to: Look.self)
      let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
      defer { attributes.deallocate() }
      #expect(look(pthread_self(), attributes) == 0)
      defer { pthread_attr_destroy(attributes) }
      var size = 0
      #expect(pthread_attr_getstacksize(attributes, &size) == 0)
      return size
    }
    #expect(size == 1 << 20)
  }

  @Test func errorsComeBackAndTheThreadLivesOn() async throws {
    let pool = WorkerPool(threadCount: 1)
    await #expect(throws: PhotoError.empty) { try await pool.run { throw PhotoError.empty } }
    #expect(try await pool.run { 42 } == 42)
  }

  @Test func workOfACancelledTaskDoesNotBegin() async throws {
    let pool = WorkerPool(threadCount: 1)
    let gate = Gate()
    async let first: Void = pool.run { gate.wait() }
    await gate.untilReached()
    let counts = Counts()
    let second = Task { try await pool.run { counts.begin() } }
    second.cancel()
    gate.open()
    try await first
    await #expect(throws: CancellationError.self) { try await second.value }
    #expect(counts.value.total == 0)
  }
}

/// Counters of the present, maximal and total number of entries.
private final class Counts: Sendable {
  private let state = Mutex((now: 0, most: 0, total: 0))

  var value: (now: Int, most: Int, total: Int) { state.withLock { $0 } }

  func begin() {
    state.withLock {
      $0.now += 1
      $0.most = max($0.most, $0.now)
      $0.total += 1
    }
  }

  func end() { state.withLock { $0.now -= 1 } }
}
