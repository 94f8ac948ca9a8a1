import Foundation
import PhotoAttachments
import PhotoIngestion
import Synchronization

/// Makes sizes of photos that requests wait for: each once, however many ask for it, in the best turn of
/// those who wait. One that nobody waits for any more is given up.
///
/// The next turn is that of the client for which the fewest pixels were decoded. Sizes of large pictures are
/// made one at a time, in turns with large uploads, beside those of ordinary ones, which have threads and
/// decoders of their own.
final class SizeMaker: Sendable {
  /// How much may be made at a time, and wait.
  struct Limits: Sendable {
    /// Sizes of ordinary pictures that are made at a time.
    var ordinary = 1
    /// Sizes that may wait for the turns of one client; nil for any number.
    var waitingPerClient: Int?
    /// Sizes that may wait before newcomers are turned away, unless they have less than their share.
    var waiting = 64
  }

  /// Seconds for which a picture that no size can be made of costs no decoder.
  private static let secondsRefused = 600.0
  /// Refusals that are remembered, at most.
  private static let maxRefused = 10_000

  private let photos: PhotoAttachmentCache
  private let limits: Limits
  private let now: @Sendable () -> Date
  private let threads: WorkerPool
  private let large: AdmissionGate
  private let state = Mutex(State())

  private struct State {
    var turns = SizeTurns()
    var waiters: [SizeTurns.Waiter: CheckedContinuation<StoredPicture, any Error>] = [:]
    var tasks: [SizeTurns.Job.Number: Task<Void, Never>] = [:]
    var refused: [PhotoSizeKey: (error: StoreError, since: Date)] = [:]
    var isStopped = false
  }

  init(
    _ photos: PhotoAttachmentCache, _ limits: Limits = Limits(),
    large: AdmissionGate = AdmissionGate(.init(most: 1, waiting: .max)),
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.photos = photos
    self.limits = limits
    self.large = large
    self.now = now
    threads = WorkerPool(threadCount: limits.ordinary + 1)
  }

  /// How many sizes wait.
  var waitingCount: Int { state.withLock { $0.turns.waiting.count } }

  /// Makes a size, or waits for it where it's being made, until the task is cancelled. A refusal that is the
  /// picture's own is remembered for ten minutes; a fault of the machine or of a store is not.
  ///
  /// - Parameter client: whose turn it may take.
  /// - Throws: 429 when too many sizes wait for the client's turn, 503 when too many wait in all, or the
  ///   server ends.
  func size(
    _ form: SizeForm, of photo: PhotoAttachmentMetadata, for client: ClientNetwork
  ) async throws -> StoredPicture {
    let waiter = state.withLock { $0.turns.newWaiter() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        do throws(any Error) {
          try state.withLock { state throws in
            try enter(form, photo, client, waiter, &state)
            state.waiters[waiter] = continuation
            start(&state)
          }
        } catch {
          continuation.resume(throwing: error)
        }
        if Task.isCancelled { leave(waiter) }
      }
    } onCancel: {
      leave(waiter)
    }
  }

  private func enter(
    _ form: SizeForm, _ photo: PhotoAttachmentMetadata, _ client: ClientNetwork,
    _ waiter: SizeTurns.Waiter, _ state: inout State
  ) throws {
    let key = PhotoSizeKey(photo: photo.id, name: form.name)
    if state.isStopped { throw ErrorResponse.busy(retryAfter: 5) }
    if state.turns.join(key, waiter, client) { return }
    if let refusal = state.refused[key],
      (0..<Self.secondsRefused).contains(now().timeIntervalSince(refusal.since))
    {
      throw refusal.error
    }
    let waiting = state.turns.waitingByClient
    if let most = limits.waitingPerClient, waiting[client] ?? 0 >= most {
      throw ErrorResponse.throttled(seconds: 2)
    }
    if state.turns.waiting.count >= limits.waiting,
      waiting[client] ?? 0 >= limits.waiting / (waiting.count + 1)
    {
      throw ErrorResponse.busy(retryAfter: 5)
    }
    state.turns.add(key, form, photo, waiter, client)
  }

  /// Starts what has its turn.
  private func start(_ state: inout State) {
    while let job = state.turns.next(ordinary: limits.ordinary) {
      state.tasks[job.number] = Task.detached { [self] in
        do throws(StoreError) {
          finish(job, .success(try await make(job)))
        } catch {
          finish(job, .failure(error))
        }
      }
    }
  }

  private func make(_ job: SizeTurns.Job) async throws(StoreError) -> StoredPicture {
    guard job.isLarge, let client = job.waiters.min(by: { $0.key < $1.key })?.value else {
      return try await photos.makeSize(job.form, of: job.photo, on: threads)
    }
    do {
      return try await large.pass(client) {
        try await photos.makeSize(job.form, of: job.photo, on: threads)
      }
    } catch let error as StoreError {
      throw error
    } catch {
      throw .cancelled
    }
  }

  /// A request waits no more; a size that no other waits for is given up.
  private func leave(_ waiter: SizeTurns.Waiter) {
    let left = state.withLock { state in
      let abandoned = state.turns.leave(waiter).flatMap { state.tasks[$0] }
      return (continuation: state.waiters.removeValue(forKey: waiter), abandoned: abandoned)
    }
    left.continuation?.resume(throwing: CancellationError())
    left.abandoned?.cancel()
  }

  private func finish(_ job: SizeTurns.Job, _ result: Result<StoredPicture, StoreError>) {
    let waiting = state.withLock { state in
      state.tasks[job.number] = nil
      let waiters = state.turns.finish(job)
      note(job.key, result, &state)
      start(&state)
      return waiters.compactMap { state.waiters.removeValue(forKey: $0) }
    }
    for continuation in waiting { continuation.resume(with: result) }
  }

  private func note(
    _ key: PhotoSizeKey, _ result: Result<StoredPicture, StoreError>, _ state: inout State
  ) {
    state.refused[key] = nil
    guard case .failure(.photo(let error)) = result, error.blame == .photo else { return }
    // How long it takes depends on what else the machine does.
    if case .timeout = error { return }
    if state.refused.count >= Self.maxRefused { state.refused = [:] }
    state.refused[key] = (.photo(error), now())
  }

  /// Gives up all sizes, and makes no more: the server ends.
  func stop() {
    let (waiters, tasks) = state.withLock { state in
      state.isStopped = true
      defer {
        state.waiters = [:]
        state.turns = SizeTurns()
      }
      return (Array(state.waiters.values), Array(state.tasks.values))
    }
    for task in tasks { task.cancel() }
    for waiter in waiters { waiter.resume(throwing: ErrorResponse.busy(retryAfter: 5)) }
  }
}
