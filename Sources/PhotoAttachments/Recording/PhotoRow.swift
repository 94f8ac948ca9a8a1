import Foundation
import GRDB
import ImageContainers
import PhotoIngestion

/// A photo as a row of the catalog: `PhotoAttachmentMetadata` without the folder it lies in. The
/// sequence number orders photos; clocks jump.
struct PhotoRow: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "photo"

  var sequence: Int64?
  var id: String
  var fileName: String
  var fileSizeBytes: Int
  var uti: String
  var pixelWidth: Int
  var pixelHeight: Int
  var assetIdentifier: String?
  var savedAtMilliseconds: Int64
  var sourceSHA256: String
  var sourceOrientation: Int
  var sourceFrameCount: Int
  var sourceHasAlpha: Bool
  var sourceColorProfile: String?
  var sourceCapturedAt: String?
  var sourceHasLocation: Bool
  var blobSHA256: String
  var blobFormat: ImageFormat
  var blobSizeBytes: Int
  var blobWidth: Int
  var blobHeight: Int
  var blobFrameCount: Int
  var previewSHA256: String
  var previewFormat: ImageFormat
  var previewSizeBytes: Int
  var previewWidth: Int
  var previewHeight: Int
  var previewFrameCount: Int
  var normalizationMethod: Normalization.Method
  var normalizationReasons: [Normalization.Reason]
  var normalizationLosses: [String]
  var normalizationRepairs: [String]
  var normalizationRemoved: [Normalization.Removed]
  /// `PhotoForm` as text; nil when it was not noted.
  var form: String?
  /// `Seal.photo` over the other fields; `insertSealed` writes it.
  var seal: String?

  init(_ photo: PhotoAttachmentMetadata) {
    id = photo.id.uuidString
    fileName = photo.fileName
    fileSizeBytes = photo.fileSizeBytes
    uti = photo.uti
    pixelWidth = photo.pixelWidth
    pixelHeight = photo.pixelHeight
    assetIdentifier = photo.assetIdentifier
    savedAtMilliseconds = photo.savedAt.milliseconds
    sourceSHA256 = photo.source.sha256
    sourceOrientation = photo.source.orientation
    sourceFrameCount = photo.source.frameCount
    sourceHasAlpha = photo.source.hasAlpha
    sourceColorProfile = photo.source.colorProfile
    sourceCapturedAt = photo.source.capturedAt
    sourceHasLocation = photo.source.hasLocation
    blobSHA256 = photo.blob.sha256
    blobFormat = photo.blob.format
    blobSizeBytes = photo.blob.sizeBytes
    blobWidth = photo.blob.pixelWidth
    blobHeight = photo.blob.pixelHeight
    blobFrameCount = photo.blob.frameCount
    previewSHA256 = photo.preview.sha256
    previewFormat = photo.preview.format
    previewSizeBytes = photo.preview.sizeBytes
    previewWidth = photo.preview.pixelWidth
    previewHeight = photo.preview.pixelHeight
    previewFrameCount = photo.preview.frameCount
    normalizationMethod = photo.normalization.method
    normalizationReasons = photo.normalization.reasons
    normalizationLosses = photo.normalization.losses
    normalizationRepairs = photo.normalization.repairs
    normalizationRemoved = photo.normalization.removed
    form = photo.form?.text
  }

  /// Where its blob and preview lie; throws when the row was tampered with.
  var places: [BlobPath] {
    get throws(PhotoError) {
      guard let blob = BlobPath(.blob, sha256: blobSHA256, format: blobFormat),
        let preview = BlobPath(.preview, sha256: previewSHA256, format: previewFormat)
      else { throw .database(what: "damaged", detail: "photo \(id)") }
      return [blob, preview]
    }
  }

  /// The metadata, with paths derived from the cache folder.
  func metadata(in folder: CacheFolder) throws(PhotoError) -> PhotoAttachmentMetadata {
    let places = try places
    guard let uuid = UUID(uuidString: id) else {
      throw .database(what: "damaged", detail: "photo \(id)")
    }
    return PhotoAttachmentMetadata(
      id: uuid, fileName: fileName, fileSizeBytes: fileSizeBytes, uti: uti,
      pixelWidth: pixelWidth, pixelHeight: pixelHeight, assetIdentifier: assetIdentifier,
      cachedURL: URL(fileURLWithPath: folder.path + "/" + places[0].relativePath),
      savedAt: Date(milliseconds: savedAtMilliseconds),
      source: SourceFacts(
        sha256: sourceSHA256, orientation: sourceOrientation, frameCount: sourceFrameCount,
        hasAlpha: sourceHasAlpha, colorProfile: sourceColorProfile, capturedAt: sourceCapturedAt,
        hasLocation: sourceHasLocation),
      blob: StoredPicture(
        path: places[0].relativePath, format: blobFormat, sizeBytes: blobSizeBytes,
        sha256: blobSHA256, pixelWidth: blobWidth, pixelHeight: blobHeight,
        frameCount: blobFrameCount),
      preview: StoredPicture(
        path: places[1].relativePath, format: previewFormat, sizeBytes: previewSizeBytes,
        sha256: previewSHA256, pixelWidth: previewWidth, pixelHeight: previewHeight,
        frameCount: previewFrameCount),
      normalization: Normalization(
        method: normalizationMethod, reasons: normalizationReasons, losses: normalizationLosses,
        repairs: normalizationRepairs, removed: normalizationRemoved),
      form: form.flatMap(PhotoForm.init(text:)))
  }
}

extension PhotoRow {
  /// Records the photo.
  func insertSealed(_ db: Database) throws {
    var row = self
    row.seal = Seal.photo(try databaseDictionary)
    try row.insert(db)
  }

  /// The photo with this id.
  static func fetch(_ db: Database, id: UUID) throws -> PhotoRow? {
    try PhotoRow.fetchOne(db, sql: "SELECT * FROM photo WHERE id = ?", arguments: [id.uuidString])
  }

  /// Photos, the last recorded first.
  static func newest(_ db: Database, limit: Int) throws -> [PhotoRow] {
    try PhotoRow.fetchAll(
      db, sql: "SELECT * FROM photo ORDER BY sequence DESC LIMIT ?", arguments: [limit])
  }

  /// Deletes a photo that neither a draft nor the library of imported photos refers to any more.
  ///
  /// - Returns: its places, for the files to be given up after the commit.
  static func deleteUnreferenced(_ db: Database, id: UUID) throws -> [BlobPath] {
    // What cannot be read of an altered record can be deleted all the same.
    guard let photo = try RawPhoto.fetch(db, id: id.uuidString) else { return [] }
    try db.execute(
      sql: """
        DELETE FROM photo WHERE id = ?1
          AND NOT EXISTS (SELECT 1 FROM attachment WHERE photo = ?1)
          AND NOT EXISTS (SELECT 1 FROM libraryPhoto WHERE photo = ?1)
        """, arguments: [photo.id])
    return db.changesCount > 0 ? BlobPath.Kind.allCases.compactMap(photo.place) : []
  }

  /// Whether a photo's blob lies in the store with the recorded size.
  static func isStored(_ db: Database, id: UUID, in blobs: BlobStore) throws -> Bool {
    guard
      let row = try Row.fetchOne(
        db.cachedStatement(
          sql: "SELECT blobSHA256, blobFormat, blobSizeBytes FROM photo WHERE id = ?"),
        arguments: [id.uuidString]),
      let format = ImageFormat(rawValue: row[1]),
      let place = BlobPath(.blob, sha256: row[0], format: format)
    else { return false }
    return try blobs.facts(place)?.sizeBytes == row[2]
  }

  /// Whether any photo's record refers to this picture.
  static func isReferenced(_ db: Database, _ place: BlobPath) throws -> Bool {
    let column = place.kind == .blob ? "blob" : "preview"
    return try Bool.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT EXISTS (
            SELECT 1 FROM photo WHERE \(column)SHA256 = ? AND \(column)Format = ?)
          """),
      arguments: [place.sha256, place.format.rawValue]) ?? false
  }

  /// Whether any photo's blob or preview has this digest.
  static func isReferenced(_ db: Database, digest: String) throws -> Bool {
    try Bool.fetchOne(
      db,
      sql: """
        SELECT EXISTS (SELECT 1 FROM photo WHERE blobSHA256 = ?1)
          OR EXISTS (SELECT 1 FROM photo WHERE previewSHA256 = ?1)
        """, arguments: [digest]) ?? false
  }

  /// Whether pictures lay in the cache before the catalog was made: then the catalog was lost once,
  /// and pictures without a record may be somebody's only copies.
  static func isCatalogYounger(_ db: Database) throws -> Bool {
    // Without an answer nothing may be deleted, so it counts as lost.
    try Bool.fetchOne(db, sql: "SELECT foundPictures FROM photoCatalog") ?? true
  }
}

extension Date {
  /// Whole milliseconds since 1970, the catalog's resolution.
  var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

  /// The moment this many milliseconds after 1970.
  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
