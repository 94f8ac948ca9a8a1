public import Foundation
package import SystemPackage

/// A library photo that looks like another one.
package struct SimilarPhoto: Sendable, Equatable {
  /// The photo.
  package var photo: PhotoAttachmentMetadata
  /// Bits in which their perceptual hashes differ, 0 to 64.
  package var distance: Int
}

/// The library of imported photos, which reports attach from.
extension PhotoAttachmentCache {
  /// Attaches a library photo to a draft (decision 11). Nothing is decoded or written but the
  /// record: the attachment shares the library photo's blob and keeps its id as `assetIdentifier`.
  ///
  /// - Returns: the record of the confirmed photo.
  /// - Throws: `StoreError.missingPhoto` when the library has no such photo or its blob is gone; the
  ///   status stays as it was then.
  @discardableResult
  public func attach(
    asset: UUID, draft: String, of owner: AttachmentOwner = .host
  ) async throws(StoreError) -> PhotoAttachmentMetadata {
    let id = newID()
    let (photo, applied) = try await threads.finish { [self] in
      try catalog.attach(asset: asset, as: id, draft: draft, of: owner, at: now()) { original in
        guard let blob = original.recorded(.blob) else { throw StoreError.missingPhoto }
        guard try blobs.holds(blob) else { throw blobs.absence(of: blob.place) }
      }
    }
    await release(applied.gone)
    return try metadata(of: photo)
  }

  /// Removes a photo from the library, and with it what is known of its source files: another import
  /// would take them again.
  ///
  /// Attachments that were picked from it keep their picture, because a report in progress must not
  /// lose its photo behind the person's back. They notice all the same: their
  /// `assetIdentifier` becomes nil and `failure(draft:)` says `asset-forgotten`.
  ///
  /// - Parameters:
  ///   - asset: a library photo.
  ///   - onlyCopies: whether it is removed although no original of it is known to be there: an import has
  ///     deleted or moved it, or its file is gone, changed or out of reach. Else its original is read.
  /// - Returns: the drafts whose attachment was picked from it.
  /// - Throws: `StoreError.missingPhoto` when the library has no such photo, `.onlyCopies` when nothing
  ///   would be left of it.
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

  /// `forget(asset:)` for a caller that has asked for `onlyCopies(among:)`.
  ///
  /// - Returns: also what could not be deleted.
  package func forgetNow(
    asset: UUID, onlyCopies: Bool
  ) async throws(StoreError) -> (drafts: [String], kept: NotDeleted?) {
    let (drafts, gone) = try await catalog.database.writing { [catalog] in
      try catalog.forget(assets: [asset], onlyCopies: onlyCopies, $0)[0]
    }
    return (drafts, await release(gone))
  }

  /// Library photos that look like one of them, the most alike first. A suggestion only: nothing is
  /// ever merged by looks.
  ///
  /// - Parameters:
  ///   - id: a library photo.
  ///   - distance: bits that may differ, of 64; up to 10 usually is the same scene.
  ///   - limit: photos to give, at most.
  /// - Throws: `StoreError.missingPhoto` when the library has no such photo.
  package func similar(
    to id: UUID, distance: Int = 10, limit: Int = 20
  ) async throws(StoreError) -> [SimilarPhoto] {
    try await run { [self] in
      try catalog.similar(to: id, distance: distance, limit: limit).map {
        SimilarPhoto(photo: try metadata(of: $0), distance: $1)
      }
    }
  }

  /// As what its owner knows a photo: the name that it came with, and the file that it was made from
  /// where an import noted one.
  ///
  /// - Parameter id: as it is on record, whatever it is.
  package func knownAs(
    photo id: String
  ) throws(StoreError) -> (name: String?, original: FilePath?) {
    let original = try catalog.originals(ids: [id], sha256: nil).first { $0.isSource }
    return (
      try catalog.photo(id: id)?.text("fileName"), original.map { FilePath(bytes: $0.path) }
    )
  }
}
