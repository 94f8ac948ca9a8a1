import BlobStoreS3
package import Foundation
import Logging
package import PhotoAttachments
package import PhotoIngestion
import PhotoStorePostgres
import PhotoStoreSQLite
package import ReportFlow

/// The stores of commands and servers: photos, drafts and announcements.
package struct Stores: Sendable {
  /// Photos, and the attachments of drafts.
  package let photos: PhotoAttachmentCache
  /// Unfinished reports.
  package let drafts: DraftStore
  /// Published reports.
  package let announcements: AnnouncementStore
  /// Imports that several workers share. `nil` without a database.
  package let runs: ImportRuns?
  /// The resumable uploads that servers share through a database. `nil` without a database.
  package let uploads: (any UploadStorage)?

  /// The version of SQLite, which stores records on this machine.
  package static var sqliteVersion: String { SQLiteDatabase.libraryVersion }

  /// Opens the stores in a cache folder and creates what is missing. This is the only place that chooses the
  /// implementations.
  ///
  /// - Parameters:
  ///   - database: the address of the database for all records (see `databaseAddress`). `nil` means the catalog in the
  ///     folder.
  ///   - blobs: the address of the object store for pictures (see `blobsAddress`). `nil` means the folder. If there is
  ///     a database, all of its users must then share the folder.
  ///   - policy: the limits of photos.
  ///   - pool: the threads that prepare and store photos.
  ///   - decoding: the place where attached photos are decoded.
  ///   - timeout: the seconds to wait while another process writes. `PETSPOT_BUSY_SECONDS` overrides it.
  /// - Throws: `StoreError` of the folder, the catalog or the database; `.backup(.asCache)` for a folder of backups.
  package static func open(
    _ folder: CacheFolder, database: String? = nil, blobs: String? = nil,
    policy: PhotoPolicy = .init(), pool: WorkerPool, decoding: PhotoDecoding, timeout: TimeInterval
  ) throws(StoreError) -> Self {
    let named = getenv("PETSPOT_BUSY_SECONDS").flatMap { Double(String(cString: $0)) }
    if try BackupMarker.isIn(folder) { throw .backup(.asCache, path: folder.path) }
    let timeout = named.map { min(max($0, 0), 3600) } ?? timeout
    let logger = Logger(label: "petspot")
    let objects: ObjectStore? = if let blobs { try .s3(blobs) } else { nil }
    let catalog: Catalog
    let storage: any BlobStorage
    var uploads: (any UploadStorage)?
    if let database {
      let records = try PostgresStores(
        folder, database: database, tables: [.reports], objects: objects, timeout: timeout,
        logger: logger)
      catalog = records.catalog
      storage = records.blobs
      uploads = PostgresUploads(records.database, folder: folder)
    } else {
      let records = try FolderStores(
        folder, tables: [.reports], objects: objects, busyTimeout: timeout, logger: logger)
      catalog = records.catalog
      storage = records.blobs
    }
    let photos = PhotoAttachmentCache(
      folder, catalog: catalog, blobs: storage, policy: policy, pool: pool, decoding: decoding,
      logger: logger)
    return Stores(
      photos: photos, drafts: DraftStore(photos, logger: logger),
      // Without a server that sends mail, an email address would have no use.
      announcements: AnnouncementStore(photos, logger: logger).keepingEmail(false),
      runs: database.map { _ in ImportRuns(catalog) }, uploads: uploads)
  }
}
