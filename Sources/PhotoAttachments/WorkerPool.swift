import Dispatch
public import Foundation
import Synchronization

/// The only throttle: a fixed number of threads of our own for work that blocks (decoding, hashing,
/// files), which never runs on Swift's cooperative threads. First come, first served.
public final class WorkerPool: Sendable {
  /// How many threads there are.
  public let threadCount: Int
  private let inbox = Inbox()

  /// A pool of `threadCount` threads (one for each active processor), each with a stack of 1 MiB.
  public init(threadCount: Int = ProcessInfo.processInfo.activeProcessorCount) {
    self.threadCount = max(1, threadCount)
    for number in 1...self.threadCount {
      let inbox = inbox
      let thread = Thread { while let job = inbox.next() { job() } }
      thread.stackSize = 1 << 20
      thread.name = "petspot-\(number)"
      thread.start()
    }
  }

  deinit { for _ in 0..<threadCount { inbox.add(nil) } }

  /// Runs work on one of the threads and waits for it without blocking the caller's thread.
  ///
  /// - Throws: what `work` throws, or `CancellationError` when the task was cancelled before the
  ///   work began. Work that began runs to its end.
  public func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    let cancelled = Flag()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        inbox.add {
          continuation.resume(
            with: Result {
              if cancelled.isSet { throw CancellationError() }
              return try work()
            })
        }
      }
    } onCancel: {
      cancelled.set()
    }
  }

  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
  }

  /// Jobs in order of arrival; nil ends a thread.
  private final class Inbox: Sendable {
    typealias Job = @Sendable () -> Void
    private let jobs = Mutex<(waiting: [Job?], taken: Int)>(([], 0))
    private let count = DispatchSemaphore(value: 0)

    func add(_ job: Job?) {
      jobs.withLock { $0.waiting.append(job) }
      count.signal()
    }

    func next() -> Job? {
      count.wait()
      return jobs.withLock { jobs in
        let job = jobs.waiting[jobs.taken]
        jobs.waiting[jobs.taken] = nil  // lets go of what the job holds
        jobs.taken += 1
        if jobs.taken > 64, jobs.taken * 2 > jobs.waiting.count {
          jobs.waiting.removeFirst(jobs.taken)
          jobs.taken = 0
        }
        return job
      }
    }
  }
}
