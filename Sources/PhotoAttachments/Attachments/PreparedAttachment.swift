public import ImageContainers
public import PhotoIngestion
public import PhotoModel

/// A prepared photo whose pictures are stored, and whose record the host writes in its own transaction.
///
/// If it is never attached, `sweep` deletes the pictures once they are older than its grace period.
public struct PreparedAttachment: Sendable {
  /// The record that attaching the photo writes.
  public let photo: PhotoAttachmentMetadata
  /// The place where the photo was taken, according to the original's metadata.
  public let position: EXIF.Position?
  let shared: MadeSize?
  private let record: SealedRecord

  init(
    _ photo: PhotoAttachmentMetadata, position: EXIF.Position?, shared: MadeSize?
  ) throws {
    self.photo = photo
    self.position = position
    self.shared = shared
    record = try SealedRecord(photo)
  }

  /// Its pictures.
  var places: [BlobPath] { record.places + (shared.map { [$0.picture.place] } ?? []) }

  /// Locks its pictures, so that the transaction can record it.
  func lock(in blobs: any BlobStorage, _ t: Transaction) throws -> StoredPhoto {
    StoredPhoto(record, try PhotoRows.lock(places, t), shared: shared) { [record, shared] in
      try blobs.holds(record) && (try shared.map { try blobs.holds($0.picture) } ?? true)
    }
  }
}

extension PhotoAttachmentCache {
  /// Prepares a photo and stores its pictures durably, so that a transaction of the host can attach it.
  ///
  /// - Parameters:
  ///   - source: The photo.
  ///   - assetIdentifier: The library photo that it was picked from.
  /// - Throws: `StoreError.photo` with the reason for a refusal. `.cancelled` if the task was cancelled. Storage
  ///   errors.
  public func prepare(
    _ source: PhotoSource, assetIdentifier: String? = nil
  ) async throws(StoreError) -> PreparedAttachment {
    let prepared = try await prepare(source, in: nil)
    let id = newID()
    return try await runBlocking { [self] in
      try put(prepared, id: id, assetIdentifier: assetIdentifier)
    }
  }

  /// Attaches a prepared photo in a transaction.
  ///
  /// - Returns: The pictures that it releases.
  /// - Throws: `StoreError.fault(.blobVanished)` if its pictures are gone.
  package func attach(
    _ photo: PreparedAttachment, to key: AttachmentKey, _ t: Transaction
  ) throws -> [BlobPath] {
    let stored = try photo.lock(in: blobs, t)
    guard let applied = try catalog.attach(stored, to: key.text, of: .host, at: now(), t) else {
      throw StoreError.fault(.blobVanished)
    }
    return applied.gone
  }

  /// Removes an attachment in a transaction.
  ///
  /// - Returns: The pictures that it releases.
  package func remove(_ key: AttachmentKey, _ t: Transaction) throws -> [BlobPath] {
    try catalog.end(draft: key.text, at: now(), t)
  }
}
