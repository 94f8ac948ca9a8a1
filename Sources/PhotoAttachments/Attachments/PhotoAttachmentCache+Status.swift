public import Foundation
import Logging
import Synchronization

extension PhotoAttachmentCache {
  /// Where a draft's attachment stands: `snapshot(draft:)` without its reasons. A photo whose blob is
  /// gone or damaged is `empty` for as long as it is.
  ///
  /// - Throws: catalog errors.
  public func status(draft: String) async throws(StoreError) -> PhotoAttachmentStatus {
    try await snapshot(draft: draft).status
  }

  /// Why the last attempt ended without a photo (`StoreError.code`), nil after a success or when
  /// there was none.
  public func failure(draft: String) async throws(StoreError) -> String? {
    try await threads.finish { [catalog] in
      try catalog.attachment(draft: draft)?.machine.failure
    }
  }

  /// The confirmed photo of a draft, nil while it is empty or loading.
  public func load(draft: String) async throws(StoreError) -> PhotoAttachmentMetadata? {
    try await snapshot(draft: draft).photo
  }

  /// Whether the photo step may be left: a photo is confirmed, and its blob holds the very bytes that
  /// were recorded.
  public func canContinue(draft: String) async throws(StoreError) -> Bool {
    try await load(draft: draft) != nil
  }

  /// Removes the draft's photo and cancels any attempt under way. Succeeds if there is none.
  ///
  /// - Returns: the last picture that could not be deleted; `sweep` deletes it.
  @discardableResult
  public func clear(draft: String) async throws(StoreError) -> NotDeleted? {
    try await threads.finish { [self] in
      releaseNow(try catalog.handle(.remove, draft: draft, at: now()).gone).kept
    }
  }

  /// Removes one photo wherever it is attached. A newer photo, or an attempt under way, stays.
  public func clear(id: UUID) async throws(StoreError) {
    await release(
      try await catalog.database.writing { [self] in try catalog.remove(photo: id, at: now(), $0) })
  }

  /// Notes that a person works on a draft, which puts off its expiry.
  public func touch(draft: String) async throws(StoreError) {
    try await threads.finish { [self] in try catalog.touch(draft: draft, at: now()) }
  }

  /// The status of a draft now and after each change, in the order of the commits; those that other
  /// processes make are noticed within a second. A slow reader misses statuses in between, never the
  /// newest.
  public func statuses(draft: String) -> AsyncStream<PhotoAttachmentStatus> {
    AsyncStream(bufferingPolicy: .bufferingNewest(8)) { continuation in
      let stop = catalog.watch(draft: draft) { [weak self] record in
        guard let self else { return false }
        // A stream that ended before it had its handler never calls it.
        if case .terminated = continuation.yield(shownStatus(of: record)) { return false }
        return true
      }
      continuation.onTermination = { _ in stop() }
    }
  }

  /// Deletes pictures that no record refers to. A picture that can't be deleted is rubbish for `sweep`; what was
  /// asked for has been committed.
  ///
  /// - Returns: the last picture that could not be deleted. Each is logged.
  @discardableResult
  package func release(_ places: [BlobPath]) async -> NotDeleted? {
    if places.isEmpty { return nil }
    return try? await threads.finish { [self] in releaseNow(places).kept }
  }

  /// Deletes pictures that no record refers to. Blocks.
  ///
  /// - Returns: how many files were deleted, and their bytes; the last one that could not be deleted.
  package func releaseNow(
    _ places: [BlobPath]
  ) -> (files: Int, bytes: Int, kept: NotDeleted?) {
    if places.isEmpty { return (0, 0, nil) }
    var kept: NotDeleted?
    func note(_ place: BlobPath, _ error: StoreError) {
      logger.warning(
        "picture not deleted", metadata: ["path": "\(place.relativePath)", "error": "\(error)"])
      kept = NotDeleted(place: place, error: error)
    }
    do throws(StoreError) {
      let (files, bytes) = try catalog.release(places) { place in
        do throws(StoreError) { return try blobs.remove(place) } catch {
          // One that stays keeps no other.
          note(place, error)
          return nil
        }
      }
      return (files, bytes, kept)
    } catch {
      note(places[0], error)
      return (0, 0, kept)
    }
  }
}
