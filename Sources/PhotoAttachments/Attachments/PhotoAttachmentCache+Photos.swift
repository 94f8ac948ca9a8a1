public import Foundation
import Glibc
import PhotoIngestion

extension PhotoAttachmentCache {
  /// The photos on record, the last recorded first. Order is the order of recording, whatever the
  /// clock said.
  public func photos(limit: Int = .max) async throws(StoreError) -> [PhotoAttachmentMetadata] {
    try await photos(limit: limit, before: nil).photos
  }

  /// A page of the photos on record, the last recorded first, and where the next page begins.
  ///
  /// - Parameters:
  ///   - limit: how many, at most.
  ///   - cursor: where the page before ended (`next`); nil for the first page. Photos that are
  ///     recorded or removed in between neither repeat nor hide others.
  /// - Returns: the page, and `next`: nil at the end.
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

  /// The photo with this id, nil when there is none on record.
  public func photo(id: UUID) async throws(StoreError) -> PhotoAttachmentMetadata? {
    let record = try await catalog.database.reading(.lookUp) {
      try PhotoRows.fetch($0, id: id.uuidString)
    }
    guard let record else { return nil }
    return try await PictureBody.threads.finish { [self] in try metadata(of: record) }
  }

  /// The stored bytes of a photo's blob or preview, proved against the recorded digest: damaged
  /// bytes are never handed out.
  ///
  /// - Throws: `StoreError.missingPhoto` when the file is gone, `.fault(.blobDamaged)` when
  ///   its bytes are not those recorded, `.fault(.blobNotAFile)` for a pipe or a folder in
  ///   its place.
  public func bytes(of picture: StoredPicture) async throws(StoreError) -> [UInt8] {
    try await PictureBody.threads.finish { [blobs] in try blobs.proved(picture) }
  }

  /// The stored bytes of a picture, to be sent piece by piece, in order: a large one is never in memory whole. They are
  /// proved before the first one is handed out, unless that file was proved a short time ago, see
  /// `ProvedFiles`; those of a large picture in a store of objects before the last one is, see
  /// `RemotePicture`.
  package func body(of picture: StoredPicture) async throws(StoreError) -> PictureBody {
    try await PictureBody.threads.finish { [self] in
      let body = try blobs.body(try picture.place, inPieces: true)
      guard body.count == picture.sizeBytes, try proved.isSound(body, sha256: picture.sha256) else {
        throw StoreError.fault(.blobDamaged)
      }
      return body
    }
  }

  /// Copies a photo's blob out of the cache, named after the original with the blob's extension. A
  /// file that is there already is never overwritten; the copy gets a number instead.
  ///
  /// - Parameters:
  ///   - id: the photo.
  ///   - maxSide: the size that is copied instead of the blob, as a JPEG, or the next smaller one.
  ///   - directory: a folder; it is made when it is missing.
  /// - Returns: the new file.
  /// - Throws: what `photo(id:)` and `bytes(of:)` throw, `.missingPhoto`, or the failure of writing.
  @discardableResult
  public func export(
    id: UUID, size maxSide: Int? = nil, to directory: URL
  ) async throws(StoreError) -> URL {
    guard let photo = try await photo(id: id) else { throw .missingPhoto }
    return try await run { [self] in
      var export = PhotoExport(from: self, size: maxSide)
      return try export.write(photo, to: directory.path).file
    }
  }

  /// Ids of photos that begin with this text, in capital letters as ids are, at most `limit`. Blocks.
  package func ids(beginning text: String, limit: Int) throws(StoreError) -> [UUID] {
    try catalog.ids(beginning: text, limit: limit).compactMap { UUID(uuidString: $0) }
  }
}

/// The place where a page of photos ended.
package struct PhotoCursor: Sendable, Hashable {
  /// The number of its last photo in the order of recording.
  let sequence: Int64
}
