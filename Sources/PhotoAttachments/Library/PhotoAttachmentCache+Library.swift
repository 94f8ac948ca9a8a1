public import Foundation
package import SystemPackage

/// A library photo that looks like another one.
public struct SimilarPhoto: Sendable, Equatable {
  /// The photo.
  public var photo: PhotoAttachmentMetadata
  /// The number of bits in which their perceptual hashes differ, 0 to 64.
  public var distance: Int
}

/// The library of imported photos that reports can attach.
extension PhotoAttachmentCache {
  /// Attaches a library photo to a draft (decision 11). Only a record is written, and nothing is decoded. The
  /// attachment shares the library photo's blob and has its ID as `assetIdentifier`.
  ///
  /// - Returns: the record of the confirmed photo.
  /// - Throws: `StoreError.missingPhoto` if the library has no such photo or its blob is missing. In that case the
  ///   status doesn't change.
  @discardableResult
  package func attach(
    asset: UUID, draft: String, of owner: AttachmentOwner = .host
  ) async throws(StoreError) -> PhotoAttachmentMetadata {
    let id = newID()
    let (photo, applied) = try await threads.finish { [self] in
      try catalog.attach(asset: asset, as: id, draft: draft, of: owner, at: now()) { original in
        guard let blob = original.recorded(.blob) else { throw StoreError.missingPhoto }
        guard try blobs.holds(blob) else { throw try blobs.absence(of: blob.place) }
      }
    }
    await release(applied.gone)
    return try metadata(of: photo)
  }

  /// Removes a photo from the library, along with the records of its source files, so that a later import can add them
  /// again.
  ///
  /// Attachments that were picked from it keep their picture, because a report in progress must not lose its photo
  /// unnoticed. Their `assetIdentifier` becomes `nil`, and `failure(of:)` returns `asset-forgotten`.
  ///
  /// - Parameters:
  ///   - asset: a library photo.
  ///   - onlyCopies: `true` to remove it even if it has no known original. This is the case if an import has deleted or
  ///     moved the original, or if its file is gone, changed or unreachable. With `false`, the original is read to
  ///     check that.
  /// - Returns: the drafts whose attachment was picked from it.
  /// - Throws: `StoreError.missingPhoto` if the library has no such photo. `.onlyCopies` if the photo is the only copy.
  @discardableResult
  public func forget(
    asset: UUID, onlyCopies: Bool = false
  ) async throws(StoreError) -> [String] {
    let copies =
      try await onlyCopies
      ? [] : threads.finish { [catalog] in try catalog.onlyCopies(among: [asset]) }
    if !copies.isEmpty { throw .onlyCopies(photos: [asset.uuidString]) }
    return try await forgetNow(asset: asset, onlyCopies: onlyCopies).drafts
  }

  /// Works like `forget(asset:)`, for a caller that has already called `onlyCopies(among:)`.
  ///
  /// - Returns: the drafts, and the last picture that could not be deleted.
  package func forgetNow(
    asset: UUID, onlyCopies: Bool
  ) async throws(StoreError) -> (drafts: [String], kept: NotDeleted?) {
    let (drafts, gone) = try await catalog.database.writing { [catalog] in
      try catalog.forget(assets: [asset], onlyCopies: onlyCopies, $0)[0]
    }
    return (drafts, await release(gone))
  }

  /// Returns library photos that look like this one, most similar first. They are only suggestions, because photos are
  /// never merged by similarity.
  ///
  /// - Parameters:
  ///   - id: a library photo.
  ///   - distance: the maximum number of the 64 bits that may differ. Up to 10 usually means the same scene.
  ///   - limit: the maximum number of photos.
  /// - Throws: `StoreError.missingPhoto` if the library has no such photo.
  public func similar(
    to id: UUID, distance: Int = 10, limit: Int = 20
  ) async throws(StoreError) -> [SimilarPhoto] {
    try await runBlocking { [self] in
      try catalog.similar(to: id, distance: distance, limit: limit).map {
        SimilarPhoto(photo: try metadata(of: $0), distance: $1)
      }
    }
  }

  /// Returns what the owner may recognize a photo by: its original name, and the file that an import made it from.
  ///
  /// - Parameter id: a photo's ID as it is on record, even if it is malformed.
  package func ownerHints(
    photo id: String
  ) throws(StoreError) -> (name: String?, original: FilePath?) {
    let original = try catalog.originals(ids: [id], sha256: nil).first { $0.isSource }
    return (
      try catalog.photo(id: id)?.text("fileName"), original.map { FilePath(bytes: $0.path) }
    )
  }
}
