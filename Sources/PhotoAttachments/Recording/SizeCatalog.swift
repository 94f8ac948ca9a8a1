package import Foundation
package import PhotoIngestion

/// Records of photos' sizes. They can be made again, so they have no seal and stay behind in a move. Calls
/// block.
package protocol SizeCatalog: Sendable {
  /// What is on record of a size that was made of the blob that its photo has now; nil when nothing is.
  func size(_ form: SizeForm.Name, of photo: UUID) throws(StoreError) -> StoredSize?

  /// The same without blocking, and without waiting for acts that record or for their turn.
  func lookUp(_ form: SizeForm.Name, of photo: UUID) async throws(StoreError) -> StoredSize?

  /// Records a size in the place of what was known of it (promise N of `PhotoCatalog`).
  ///
  /// - Parameters:
  ///   - blob: digest of the blob that it was made of.
  ///   - naming: says whether it is there.
  /// - Returns: false, and nothing is recorded, when the photo is gone or shows another blob, or `naming`
  ///   says no.
  func record(
    _ size: RecordedPicture, _ form: SizeForm.Name, of photo: UUID, blob: String, at now: Date,
    naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool

  /// Notes that a size was used.
  func touch(_ form: SizeForm.Name, of photo: UUID, at now: Date) throws(StoreError)

  /// Gives up the files of those sizes that were not used for longest, so that the files of the others
  /// have so many bytes at most; their digests stay on record.
  ///
  /// - Parameter dryRun: only tells.
  /// - Returns: pictures that no record needs any more.
  func trimSizes(to bytes: Int, dryRun: Bool) throws(StoreError) -> [BlobPath]
}

/// Which size of which photo.
package struct SizeOfPhoto: Sendable, Hashable {
  package let photo: UUID
  package let name: SizeForm.Name

  package init(photo: UUID, name: SizeForm.Name) { (self.photo, self.name) = (photo, name) }
}

/// A size on record.
package struct StoredSize: Sendable, Equatable {
  package var picture: RecordedPicture
  /// Whether its file is there by the record, which says the digest in any case.
  package var isStored: Bool
  /// When it was made or last known to be used, to the hour.
  package var usedAt: Date

  package init(_ picture: RecordedPicture, isStored: Bool, usedAt: Date) {
    (self.picture, self.isStored, self.usedAt) = (picture, isStored, usedAt)
  }
}
