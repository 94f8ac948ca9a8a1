import Dispatch
public import Foundation
import Glibc
import Synchronization

/// The only throttle: a fixed number of threads of our own for work that blocks (decoding, hashing,
/// files), which never runs on Swift's cooperative threads. First come, first served.
public final class WorkerPool: Sendable {
  /// How many threads there are.
  public let threadCount: Int
  /// Jobs that may wait for a thread.
  private let waitingJobs: Int
  private let inbox = Inbox()
  /// Fewer than wanted where the machine allows no more.
  private let startedCount: Int

  /// The pool of callers that name none: a thread for each active processor, started by the first use.
  public static let shared = WorkerPool()

  /// A pool of `threadCount` threads (one for each active processor), each with a stack of 1 MiB, and
  /// with room for this many jobs that wait.
  public init(
    threadCount: Int = ProcessInfo.processInfo.activeProcessorCount, waitingJobs: Int = 4096
  ) {
    self.threadCount = max(1, threadCount)
    self.waitingJobs = max(1, waitingJobs)
    let inbox = inbox
    startedCount =
      (1...self.threadCount).filter { number in
        DetachedThread.start("petspot-\(number)") { while let job = inbox.next() { job() } }
      }.count
  }

  deinit { for _ in 0..<startedCount { inbox.add(nil) } }

  /// Runs work on one of the threads and waits for it without blocking the caller's thread.
  ///
  /// - Throws: what `work` throws, `PhotoError.shortage` when no thread could be started, `.crowded`
  ///   when too many jobs wait already, or `CancellationError` when the task was cancelled before the
  ///   work began. Work that began runs to its end, but where it asks `isCancelled`.
  public func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
    guard startedCount > 0 else { throw PhotoError.shortage(errno: EAGAIN) }
    let cancelled = Flag()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isTaken = inbox.add(most: waitingJobs) {
          continuation.resume(
            with: Result {
              if cancelled.isSet { throw CancellationError() }
              return try Self.$cancellation.withValue(cancelled) { try work() }
            })
        }
        if !isTaken { continuation.resume(throwing: PhotoError.crowded(seconds: 0)) }
      }
    } onCancel: {
      cancelled.set()
    }
  }

  /// Hands over work that the caller does not wait for; where too many jobs wait or no thread could be
  /// started, it is not done.
  package func add(_ work: @escaping @Sendable () -> Void) {
    if startedCount > 0 { inbox.add(most: waitingJobs, work) }
  }

  /// The same for work on a photo.
  ///
  /// - Throws: what `work` throws; `.shortage`, `.crowded` and `.cancelled` for the reasons above.
  func prepare<T: Sendable>(
    _ work: @escaping @Sendable () throws(PhotoError) -> T
  ) async throws(PhotoError) -> T {
    do {
      return try await run(work)
    } catch let error as PhotoError {
      throw error
    } catch {
      throw .cancelled
    }
  }

  /// Jobs that wait for a thread now.
  var waitingCount: Int { inbox.waitingCount }

  /// Whether the task was cancelled that this thread works for.
  static var isCancelled: Bool { cancellation?.isSet ?? Task.isCancelled }

  /// Of the work on this thread, which is no task's.
  @TaskLocal private static var cancellation: Flag?

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

    var waitingCount: Int { jobs.withLock { $0.waiting.count - $0.taken } }

    /// - Returns: whether there was room for it.
    @discardableResult
    func add(most: Int = .max, _ job: Job?) -> Bool {
      let isTaken = jobs.withLock { jobs in
        guard jobs.waiting.count - jobs.taken < most else { return false }
        jobs.waiting.append(job)
        return true
      }
      if isTaken { count.signal() }
      return isTaken
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
