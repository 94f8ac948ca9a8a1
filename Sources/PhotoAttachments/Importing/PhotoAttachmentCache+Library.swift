public import Foundation
import GRDB
public import PhotoIngestion

/// A library photo that looks like another one.
public struct SimilarPhoto: Sendable, Equatable {
  /// The photo.
  public var photo: PhotoAttachmentMetadata
  /// Bits in which their perceptual hashes differ, 0 to 64.
  public var distance: Int
}

/// The library of imported photos, which reports attach from.
extension PhotoAttachmentCache {
  /// Attaches a library photo to a draft (decision 11). Nothing is decoded or written but the
  /// record: the attachment shares the library photo's blob and keeps its id as `assetIdentifier`.
  ///
  /// - Returns: the record of the confirmed photo.
  /// - Throws: `PhotoError.missingPhoto` when the library has no such photo or its blob is gone; the
  ///   status stays as it was then.
  @discardableResult
  public func attach(asset: UUID, draft: String) async throws(PhotoError) -> PhotoAttachmentMetadata
  {
    let id = newID()
    let (photo, gone) = try await catalog.writeAsync {
      [self] db -> (PhotoAttachmentMetadata, [BlobPath]) in
      guard try LibraryRow.fetch(db, id: asset) != nil, var row = try PhotoRow.fetch(db, id: asset)
      else { throw PhotoError.missingPhoto }
      guard try PhotoRow.isStored(db, id: asset, in: blobs) else {
        throw try row.places.first.map { blobs.absence(of: $0) } ?? PhotoError.missingPhoto
      }
      row.sequence = nil
      row.id = id.uuidString
      row.assetIdentifier = asset.uuidString
      row.savedAtMilliseconds = now().milliseconds
      try row.insertSealed(db)
      let ticket = try AttachmentRow.issueTicket(db)
      _ = try apply(.pick(ticket), to: draft, db)
      let applied = try apply(.succeeded(ticket, id), to: draft, db)
      return (try row.metadata(in: folder), applied.gone)
    }
    await release(gone)
    return photo
  }

  /// Removes a photo from the library, and with it what is known of its source files: another import
  /// would take them again.
  ///
  /// Attachments that were picked from it keep their picture, because a report in progress must not
  /// lose its photo behind the person's back. They notice all the same (decision 11): their
  /// `assetIdentifier` becomes nil and `failure(draft:)` says `asset-forgotten`.
  ///
  /// - Returns: the drafts whose attachment was picked from it.
  /// - Throws: `PhotoError.missingPhoto` when the library has no such photo.
  @discardableResult
  public func forget(asset: UUID) async throws(PhotoError) -> [String] {
    let (drafts, gone) = try await catalog.writeAsync { db -> ([String], [BlobPath]) in
      guard try LibraryRow.fetch(db, id: asset) != nil else { throw PhotoError.missingPhoto }
      try db.execute(
        sql: "DELETE FROM libraryPhoto WHERE photo = ?", arguments: [asset.uuidString])
      let drafts = try String.fetchAll(
        db,
        sql: """
          SELECT draft FROM attachment JOIN photo ON photo.id = attachment.photo
          WHERE assetIdentifier = ? ORDER BY draft
          """, arguments: [asset.uuidString])
      try db.execute(
        sql: """
          UPDATE attachment SET failure = 'asset-forgotten'
          WHERE photo IN (SELECT id FROM photo WHERE assetIdentifier = ?)
          """, arguments: [asset.uuidString])
      try db.execute(
        sql: "UPDATE photo SET assetIdentifier = NULL WHERE assetIdentifier = ?",
        arguments: [asset.uuidString])
      return (drafts, try PhotoRow.deleteUnreferenced(db, id: asset))
    }
    await release(gone)
    for draft in drafts { watchers.publish(try status(draft: draft), draft: draft) }
    return drafts
  }

  /// Library photos that look like one of them, the most alike first. A suggestion only: nothing is
  /// ever merged by looks.
  ///
  /// - Parameters:
  ///   - id: a library photo.
  ///   - distance: bits that may differ, of 64; up to 10 usually is the same scene.
  ///   - limit: photos to give, at most.
  /// - Throws: `PhotoError.missingPhoto` when the library has no such photo.
  public func similar(
    to id: UUID, distance: Int = 10, limit: Int = 20
  ) throws(PhotoError) -> [SimilarPhoto] {
    try catalog.read { db in
      guard let own = try LibraryRow.fetch(db, id: id) else { throw PhotoError.missingPhoto }
      let hash = UInt64(bitPattern: own.perceptualHash)
      var found: [(id: String, distance: Int)] = []
      let others = try LibraryRow.fetchCursor(
        db, sql: "SELECT * FROM libraryPhoto WHERE photo <> ?", arguments: [id.uuidString])
      while let other = try others.next() {
        let bits = PerceptualHash.distance(hash, UInt64(bitPattern: other.perceptualHash))
        if bits <= distance { found.append((other.photo, bits)) }
      }
      found.sort { ($0.distance, $0.id) < ($1.distance, $1.id) }
      return try found.prefix(max(0, limit)).compactMap { other in
        guard let uuid = UUID(uuidString: other.id), let row = try PhotoRow.fetch(db, id: uuid)
        else { return nil }
        return SimilarPhoto(photo: try row.metadata(in: folder), distance: other.distance)
      }
    }
  }
}
