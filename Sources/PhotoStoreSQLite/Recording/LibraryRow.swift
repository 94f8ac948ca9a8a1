import Foundation
import GRDB
import ImageContainers
import PhotoAttachments
import PhotoIngestion

/// Membership of a photo in the library of imported photos.
struct LibraryRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "libraryPhoto"

  var photo: String
  /// `PerceptualHash`, its bits as a signed number.
  var perceptualHash: Int64
  /// `Seal.library` over the other fields.
  var seal: String?

  init(photo: String, perceptualHash: UInt64) {
    self.photo = photo
    self.perceptualHash = Int64(bitPattern: perceptualHash)
    seal = Seal.library(photo: self.photo, perceptualHash: self.perceptualHash)
  }

  /// The row of a photo, nil when it is not in the library.
  static func fetch(_ db: Database, id: UUID) throws -> LibraryRow? {
    try LibraryRow.fetchOne(
      db.cachedStatement(sql: "SELECT * FROM libraryPhoto WHERE photo = ?"),
      arguments: [id.uuidString])
  }

  /// The library's oldest photo with these very bytes as blob.
  static func photo(_ db: Database, blob: BlobPath) throws -> UUID? {
    try String.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT photo.id FROM photo JOIN libraryPhoto ON libraryPhoto.photo = photo.id
          WHERE blobSHA256 = ? AND blobFormat = ? ORDER BY sequence LIMIT 1
          """),
      arguments: [blob.sha256, blob.format.rawValue]
    ).flatMap(UUID.init(uuidString:))
  }

  /// Library photos of one frame that may have the same pixels in another coding: they have the
  /// same size and the same preview.
  static func candidates(
    _ db: Database, for pictures: SealedRecord.Pictures
  ) throws -> [SealedRecord] {
    let (blob, preview) = (pictures.blob, pictures.preview)
    return try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT photo.* FROM photo JOIN libraryPhoto ON libraryPhoto.photo = photo.id
          WHERE previewSHA256 = ? AND blobWidth = ? AND blobHeight = ? AND blobFrameCount = 1
            AND blobSHA256 <> ? ORDER BY sequence LIMIT 4
          """),
      arguments: [preview.sha256, blob.pixelWidth, blob.pixelHeight, blob.sha256]
    ).map(SealedRecord.init)
  }

  /// The same among photos that were made in another form. Their previews may have other bytes for
  /// that reason alone, so equal size and equal looks (the perceptual hash) make a candidate.
  static func candidates(
    _ db: Database, outsideFormOf pictures: SealedRecord.Pictures, perceptualHash: UInt64
  ) throws -> [SealedRecord] {
    let (blob, preview) = (pictures.blob, pictures.preview)
    return try Row.fetchAll(
      db.cachedStatement(
        sql: """
          SELECT photo.* FROM libraryPhoto JOIN photo ON photo.id = libraryPhoto.photo
          WHERE perceptualHash = ? AND blobWidth = ? AND blobHeight = ? AND blobFrameCount = 1
            AND blobSHA256 <> ? AND previewSHA256 <> ? AND form IS NOT ?
          ORDER BY sequence LIMIT 4
          """),
      arguments: [
        Int64(bitPattern: perceptualHash), blob.pixelWidth, blob.pixelHeight, blob.sha256,
        preview.sha256, pictures.form?.text,
      ]
    ).map(SealedRecord.init)
  }
}
