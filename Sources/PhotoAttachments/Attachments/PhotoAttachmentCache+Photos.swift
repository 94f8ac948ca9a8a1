public import Foundation
import Glibc
import PhotoIngestion

extension PhotoAttachmentCache {
  /// Returns the recorded photos, newest first. They are sorted by the order in which they were recorded, not by date,
  /// so that clock changes don't matter.
  package func photos(limit: Int = .max) async throws(StoreError) -> [PhotoAttachmentMetadata] {
    try await photos(limit: limit, before: nil).photos
  }

  /// Returns a page of the recorded photos, newest first, and the cursor of the next page.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of photos.
  ///   - cursor: the `next` of the previous page; `nil` for the first page. If photos are recorded or removed between
  ///     two pages, the others still appear exactly once.
  /// - Returns: the page, and its `next`, which is `nil` at the end.
  package func photos(
    limit: Int, before cursor: PhotoCursor?
  ) async throws(StoreError) -> (photos: [PhotoAttachmentMetadata], next: PhotoCursor?) {
    try await threads.finish { [self] in
      let records = try catalog.newest(max(0, limit), before: cursor?.sequence ?? .max)
      let isFull = limit > 0 && records.count == limit
      return (
        try records.map(metadata),
        isFull ? records.last.map { PhotoCursor(sequence: $0.sequence) } : nil
      )
    }
  }

  /// Returns the photo with this ID; `nil` if it isn't on record.
  public func photo(id: UUID) async throws(StoreError) -> PhotoAttachmentMetadata? {
    let record = try await catalog.database.reading(.lookUp) {
      try PhotoRows.fetch($0, id: id.uuidString)
    }
    guard let record else { return nil }
    return try await PictureBody.threads.finish { [self] in try metadata(of: record) }
  }

  /// Returns the stored bytes of a photo's blob or preview after comparing them with the recorded digest. Damaged bytes
  /// are never returned.
  ///
  /// - Throws: `StoreError.missingPhoto` if the file is gone. `.fault(.blobDamaged)` if its bytes differ from the
  ///   recorded ones. `.fault(.blobNotAFile)` if a pipe or a folder is in its place.
  public func bytes(of picture: StoredPicture) async throws(StoreError) -> [UInt8] {
    try await PictureBody.threads.finish { [blobs] in try blobs.readVerified(picture) }
  }

  /// Returns a picture's stored bytes, to be sent in order and in pieces. A large picture is never in memory as a
  /// whole.
  ///
  /// The bytes are checked before the first one is returned, unless that file was checked a short time ago (see
  /// `ProvedFiles`). A large picture in an object store is checked before its last byte is returned (see
  /// `RemotePicture`).
  package func body(of picture: StoredPicture) async throws(StoreError) -> PictureBody {
    try await PictureBody.threads.finish { [self] in
      let body = try blobs.body(try picture.place, inPieces: true)
      guard body.count == picture.sizeBytes, try proved.isSound(body, sha256: picture.sha256) else {
        throw StoreError.fault(.blobDamaged)
      }
      return body
    }
  }

  /// Copies a photo's blob out of the cache. The copy is named after the original, with the blob's extension. It gets a
  /// number if its name is taken, because existing files are never overwritten.
  ///
  /// - Parameters:
  ///   - id: the photo.
  ///   - maxSide: the size to copy as a JPEG instead of the blob. If the photo doesn't have this size, the next smaller
  ///     one is copied.
  ///   - directory: a folder. It is created if it doesn't exist.
  /// - Returns: the new file.
  /// - Throws: the errors of `photo(id:)` and `bytes(of:)`, `.missingPhoto`, or the error of writing.
  @discardableResult
  public func export(
    id: UUID, size maxSide: Int? = nil, to directory: URL
  ) async throws(StoreError) -> URL {
    try await runBlocking { [self] in
      guard let found = try findPhoto(id) else { throw StoreError.missingPhoto }
      var export = PhotoExport(from: self, size: maxSide)
      return try export.write(found, as: found.name, to: directory.path).file
    }
  }

  /// Returns at most `limit` IDs of photos that begin with this text, which must be in capital letters as IDs are.
  /// Blocks.
  package func ids(beginning text: String, limit: Int) throws(StoreError) -> [UUID] {
    try catalog.ids(beginning: text, limit: limit).compactMap { UUID(uuidString: $0) }
  }
}

/// The position at which a page of photos ended.
package struct PhotoCursor: Sendable, Hashable {
  /// The sequence number of the page's last photo.
  let sequence: Int64
}
