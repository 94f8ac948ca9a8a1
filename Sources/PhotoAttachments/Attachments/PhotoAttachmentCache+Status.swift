public import Foundation
import Logging
import Synchronization

extension PhotoAttachmentCache {
  /// Returns the status of a draft's attachment, as `snapshot(draft:)` does but without reasons. While a photo's blob
  /// is missing or damaged, the status is `empty`.
  ///
  /// - Throws: catalog errors.
  package func status(draft: String) async throws(StoreError) -> PhotoAttachmentStatus {
    try await snapshot(draft: draft).status
  }

  /// Returns the reason why the last attempt ended without a photo (`StoreError.code`); `nil` after a success or if
  /// nothing was attempted.
  package func failure(draft: String) async throws(StoreError) -> String? {
    try await threads.finish { [catalog] in
      try catalog.attachment(draft: draft)?.machine.failure
    }
  }

  /// Returns the confirmed photo of a draft; `nil` if the attachment is empty or loading.
  package func load(draft: String) async throws(StoreError) -> PhotoAttachmentMetadata? {
    try await snapshot(draft: draft).photo
  }

  /// Returns `true` if the user may leave the photo step: a photo is confirmed, and its blob contains exactly the
  /// recorded bytes.
  package func canContinue(draft: String) async throws(StoreError) -> Bool {
    try await load(draft: draft) != nil
  }

  /// Removes the draft's photo and cancels any attempt in progress. Succeeds if there is nothing to remove.
  ///
  /// - Returns: the last picture that could not be deleted. `sweep` deletes it later.
  @discardableResult
  package func remove(draft: String) async throws(StoreError) -> NotDeleted? {
    try await threads.finish { [self] in
      releaseNow(try catalog.handle(.remove, draft: draft, at: now()).gone).kept
    }
  }

  /// Removes one photo from all drafts that it is attached to. Newer photos and attempts in progress stay.
  public func remove(id: UUID) async throws(StoreError) {
    await release(
      try await catalog.database.writing { [self] in try catalog.remove(photo: id, at: now(), $0) })
  }

  /// Records that a person works on a draft, which postpones its expiry.
  package func keepAlive(draft: String) async throws(StoreError) {
    try await threads.finish { [self] in try catalog.keepAlive(draft: draft, at: now()) }
  }

  /// Streams the status of a draft: the current one, then one after each change, in commit order. Changes by other
  /// processes are noticed within a second. A slow reader may miss statuses in between, but never the newest.
  package func statuses(draft: String) -> AsyncStream<PhotoAttachmentStatus> {
    AsyncStream(bufferingPolicy: .bufferingNewest(8)) { continuation in
      let stop = catalog.watch(draft: draft) { [weak self] record in
        guard let self else { return false }
        // If a stream ended before it had its termination handler, the handler is never called.
        if case .terminated = continuation.yield(shownStatus(of: record)) { return false }
        return true
      }
      continuation.onTermination = { _ in stop() }
    }
  }

  /// Deletes pictures that no record refers to. If one can't be deleted, the call still succeeds, because the caller's
  /// change is already committed, and a later `sweep` deletes the picture.
  ///
  /// - Returns: the last picture that could not be deleted. Each one is logged.
  @discardableResult
  package func release(_ places: [BlobPath]) async -> NotDeleted? {
    if places.isEmpty { return nil }
    return try? await threads.finish { [self] in releaseNow(places).kept }
  }

  /// Deletes pictures that no record refers to. Blocks.
  ///
  /// - Returns: the number of deleted files and their bytes, and the last picture that could not be deleted.
  package func releaseNow(
    _ places: [BlobPath]
  ) -> (files: Int, bytes: Int, kept: NotDeleted?) {
    if places.isEmpty { return (0, 0, nil) }
    var kept: NotDeleted?
    func recordDamage(_ place: BlobPath, _ error: StoreError) {
      logger.warning(
        "picture not deleted", metadata: ["path": "\(place.relativePath)", "error": "\(error)"])
      kept = NotDeleted(place: place, error: error)
    }
    do throws(StoreError) {
      let (files, bytes) = try catalog.release(places) { place in
        do throws(StoreError) { return try blobs.remove(place) } catch {
          // One failure doesn't keep the other pictures from being deleted.
          recordDamage(place, error)
          return nil
        }
      }
      return (files, bytes, kept)
    } catch {
      recordDamage(places[0], error)
      return (0, 0, kept)
    }
  }
}
