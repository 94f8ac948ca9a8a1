import Foundation
import PhotoAttachments
import PhotoIngestion
import Synchronization

/// Makes the sizes (scaled copies) of photos that requests wait for. Each client waits for its own turn at a decoder. A
/// size is made once, however many clients request it, in the first turn that one of them gets. It's canceled if no
/// request waits for it.
final class SizeMaker: Sendable {
  /// The number of seconds for which a picture's failure is remembered. Requests for it don't use a decoder meanwhile.
  private static let secondsRefused = 600.0
  /// The most outcomes that are remembered.
  private static let maxRemembered = 4000

  private struct SizeRequest: Hashable {
    let key: PhotoSizeKey
    let client: ClientNetwork
  }

  private let photos: PhotoAttachmentCache
  private let queue: FairQueue
  private let now: @Sendable () -> Date
  private let threads: WorkerPool
  /// Requests of one client for a size share a turn. The cache lets the turns of all clients share the work.
  private let requests = JointWork<SizeRequest, StoredPicture>()
  private let waiting = Atomic(0)
  private let outcomes = Mutex<[PhotoSizeKey: Outcome]>([:])

  private struct Outcome {
    let result: Result<StoredPicture, StoreError>
    let at: Date
  }

  /// - Parameter queue: the queue in which photos and sizes wait for a decoder.
  init(
    _ photos: PhotoAttachmentCache, _ queue: FairQueue,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.photos = photos
    self.queue = queue
    self.now = now
    threads = WorkerPool(threadCount: ServerConfiguration.decoders)
  }

  /// The number of sizes that wait for a turn.
  var waitingCount: Int { waiting.load(ordering: .relaxed) }

  /// Makes a size, or waits for it if it's already being made, until the task is canceled. A failure caused by the
  /// picture is remembered for ten minutes. A fault of the machine or of a store isn't remembered.
  ///
  /// - Parameter client: the client whose turns are used.
  /// - Throws: 429 if too many turns of the client wait, 503 if too many wait in all or the server ends.
  func size(
    _ form: SizeForm, of photo: PhotoAttachmentMetadata, for client: ClientNetwork
  ) async throws -> StoredPicture {
    let key = PhotoSizeKey(photo: photo.id, name: form.name)
    let begin = now()
    if case .failure(let refusal)? = outcome(of: key, since: begin - Self.secondsRefused) {
      throw refusal
    }
    return try await requests.value(SizeRequest(key: key, client: client)) { [self] in
      let turn = DecoderTurn(.init(pixels: photo.blob.pixelWidth * photo.blob.pixelHeight))
      let queued: FairQueue.Turn
      do {
        waiting.add(1, ordering: .relaxed)
        defer { waiting.subtract(1, ordering: .relaxed) }
        queued = try await queue.enter(client, weight: turn.weight.rawValue)
      }
      defer { queue.leave(queued, cost: turn.cost / .seconds(1)) }
      // Another client's turn may have come first.
      if case .success(let made)? = outcome(of: key, since: begin) { return made }
      return try await make(form, of: photo, key, turn)
    }
  }

  private func make(
    _ form: SizeForm, of photo: PhotoAttachmentMetadata, _ key: PhotoSizeKey, _ turn: DecoderTurn
  ) async throws -> StoredPicture {
    do throws(StoreError) {
      let made = try await photos.makeSize(form, of: photo, on: threads, in: turn)
      recordOutcome(key, .success(made))
      return made
    } catch {
      recordOutcome(key, .failure(error))
      if error == .cancelled { throw CancellationError() }
      throw error
    }
  }

  private func outcome(
    of key: PhotoSizeKey, since begin: Date
  ) -> Result<StoredPicture, StoreError>? {
    guard let outcome = outcomes.withLock({ $0[key] }), outcome.at >= begin, outcome.at <= now()
    else { return nil }
    return outcome.result
  }

  private func recordOutcome(_ key: PhotoSizeKey, _ result: Result<StoredPicture, StoreError>) {
    let isRemembered =
      switch result {
      case .success: true
      // A timeout depends on the load of the machine.
      case .failure(.photo(.timeout)): false
      case .failure(.photo(let error)): error.blame == .photo
      case .failure: false
      }
    let outcome = isRemembered ? Outcome(result: result, at: now()) : nil
    outcomes.withLock { outcomes in
      if outcomes.count >= Self.maxRemembered { outcomes = [:] }
      outcomes[key] = outcome
    }
  }

  /// Cancels all sizes, and makes no more, because the server ends.
  func stop() { requests.stop() }
}
