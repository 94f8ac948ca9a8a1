import Dispatch
public import Foundation
import Glibc
import Synchronization

/// A fixed number of threads for work that blocks (decoding, hashing, files), which must not run on
/// Swift's cooperative threads. Work is done in the order in which it came; callers limit how much
/// of it may wait.
public final class WorkerPool: Sendable {
  /// How many threads there are.
  public let threadCount: Int
  private let inbox = Inbox()
  /// Fewer than wanted where the machine allows no more.
  private let startedCount: Int

  /// The pool of callers that name none: a thread for each active processor, started by the first use.
  public static let shared = WorkerPool()

  /// A pool of `threadCount` threads (one for each active processor), each with a stack of 1 MiB.
  public init(threadCount: Int = ProcessInfo.processInfo.activeProcessorCount) {
    self.threadCount = max(1, threadCount)
    let inbox = inbox
    startedCount =
      (1...self.threadCount).filter { number in
        OwnThread.detach("petspot-\(number)") { while let job = inbox.next() { job() } }
      }.count
  }

  deinit { for _ in 0..<startedCount { inbox.add(nil) } }

  /// Runs work on one of the threads and waits for it without blocking the caller's thread.
  ///
  /// - Throws: what `work` throws, `PhotoError.shortage` when no thread could be started, or
  ///   `CancellationError` when the task was cancelled before the work began. Work that began runs to its
  ///   end, but where it asks `isCancelled`.
  public func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    guard startedCount > 0 else { throw PhotoError.shortage(errno: EAGAIN) }
    let cancelled = StopFlag()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        inbox.add {
          continuation.resume(
            with: Result {
              if cancelled.isSet { throw CancellationError() }
              return try Self.$cancellation.withValue(cancelled) { try work() }
            })
        }
      }
    } onCancel: {
      cancelled.set()
    }
  }

  /// Hands over work that the caller does not wait for.
  ///
  /// - Returns: false where no thread could be started: it is not done.
  @discardableResult
  package func add(_ work: @escaping @Sendable () -> Void) -> Bool {
    if startedCount > 0 { inbox.add(work) }
    return startedCount > 0
  }

  /// The same for work on a photo.
  ///
  /// - Throws: what `work` throws; `.shortage` and `.cancelled` for the reasons above.
  func prepare<T: Sendable>(
    _ work: @escaping @Sendable () throws -> T
  ) async throws(PhotoError) -> T {
    do {
      return try await run(work)
    } catch let error as PhotoError {
      throw error
    } catch {
      throw .cancelled
    }
  }

  /// Whether the task was cancelled that this thread works for.
  static var isCancelled: Bool { cancellation?.isSet ?? Task.isCancelled }

  /// Of the work on this thread, which is no task's.
  @TaskLocal private static var cancellation: StopFlag?

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
