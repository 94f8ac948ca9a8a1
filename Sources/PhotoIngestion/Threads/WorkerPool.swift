import Dispatch
public import Foundation
import Glibc
import Synchronization

/// A fixed number of threads for blocking work (decoding, hashing, files), which must not run on Swift's cooperative
/// threads. Work runs in the order of arrival. Callers limit the amount of waiting work.
public final class WorkerPool: Sendable {
  /// The number of threads that were requested.
  public let threadCount: Int
  private let inbox = Inbox()
  /// The number of threads that could be started.
  private let startedCount: Int

  /// The default pool, with one thread per active processor. First use starts it.
  public static let shared = WorkerPool()

  /// Creates a pool of `threadCount` threads (by default one per active processor), each with a stack of 1 MiB.
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
  /// - Throws: errors that `work` throws; `PhotoError.shortage` if no thread could be started; `CancellationError` if
  ///   the task was cancelled before the work began. Work that has begun runs to its end unless it checks
  ///   `isCancelled`.
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

  /// Adds work that the caller does not wait for.
  ///
  /// - Returns: `false` if no thread could be started, so the work will not run.
  @discardableResult
  package func add(_ work: @escaping @Sendable () -> Void) -> Bool {
    if startedCount > 0 { inbox.add(work) }
    return startedCount > 0
  }

  /// Runs work on a photo like `run`, with typed errors.
  ///
  /// - Throws: errors that `work` throws; `.shortage` and `.cancelled` as for `run`.
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

  /// `true` if the task for which this thread works was cancelled.
  static var isCancelled: Bool { cancellation?.isSet ?? Task.isCancelled }

  /// The cancellation flag of the job on this thread. The job runs outside of any task.
  @TaskLocal private static var cancellation: StopFlag?

  /// The jobs in order of arrival. `nil` ends a thread.
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
        jobs.waiting[jobs.taken] = nil  // releases the values that the job captures
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
