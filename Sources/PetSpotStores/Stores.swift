import BlobStoreS3
package import Foundation
import Logging
package import PhotoAttachments
package import PhotoIngestion
import PhotoStorePostgres
import PhotoStoreSQLite
package import ReportFlow

/// What commands and servers keep and find: photos, drafts and announcements.
package struct Stores: Sendable {
  /// Photos and what drafts show of them.
  package let photos: PhotoAttachmentCache
  /// Reports under way.
  package let drafts: DraftStore
  /// Announcements.
  package let announcements: AnnouncementStore
  /// Imports that many workers share; nil without a database.
  package let runs: ImportRuns?
  /// Where the servers of one database keep resumable uploads; nil without a database.
  package let uploads: (any UploadStorage)?

  /// Version of the SQLite that keeps records on this machine.
  package static var sqliteVersion: String { SQLiteDatabase.libraryVersion }

  /// Opens the stores in a cache folder, making what is missing; what drafts and announcements need is
  /// made with the first use of them. The only place that knows which stores these are.
  ///
  /// - Parameters:
  ///   - database: the address of the database that keeps all records (see `databaseAddress`); nil for
  ///     the catalog in the folder.
  ///   - blobs: the address of the store that keeps pictures (see `blobsAddress`); nil for the folder,
  ///     which all who use one database share then.
  ///   - policy: limits of photos.
  ///   - pool: the threads that prepare and store photos.
  ///   - decoders: the processes that attached photos are decoded in.
  ///   - timeout: seconds to wait while another process writes, unless `PETSPOT_BUSY_SECONDS` says
  ///     so.
  /// - Throws: `StoreError` of the folder, the catalog or the database; `.backup(.asCache)` for a folder of backups.
  package static func open(
    _ folder: CacheFolder, database: String? = nil, blobs: String? = nil,
    policy: PhotoPolicy = .init(), pool: WorkerPool, decoders: DecoderPool?, timeout: TimeInterval
  ) throws(StoreError) -> Self {
    let named = getenv("PETSPOT_BUSY_SECONDS").flatMap { Double(String(cString: $0)) }
    if try BackupFolder.isMarked(folder) { throw .backup(.asCache, path: folder.path) }
    let timeout = named.map { min(max($0, 0), 3600) } ?? timeout
    let logger = Logger(label: "petspot")
    let objects: ObjectStore? = if let blobs { try .s3(blobs) } else { nil }
    let catalog: Catalog
    let storage: any BlobStorage
    var uploads: (any UploadStorage)?
    if let database {
      let records = try PostgresStores(
        folder, database: database, objects: objects, timeout: timeout, logger: logger)
      catalog = records.catalog
      storage = records.blobs
      uploads = PostgresUploads(records.database, folder: folder)
    } else {
      let records = try FolderStores(
        folder, objects: objects, busyTimeout: timeout, logger: logger)
      catalog = records.catalog
      storage = records.blobs
    }
    let photos = PhotoAttachmentCache(
      folder, catalog: catalog, blobs: storage, policy: policy, pool: pool, decoders: decoders,
      logger: logger)
    return Stores(
      photos: photos, drafts: DraftStore(photos, logger: logger),
      // Without a server that sends mail nothing is done with an address.
      announcements: AnnouncementStore(photos, logger: logger).keepingEmail(false),
      runs: database.map { _ in ImportRuns(catalog) }, uploads: uploads)
  }

  /// The pictures of a folder of backups.
  static func pictures(of backup: BackupFolder) -> any BlobStorage {
    FolderStorage.existing(backup.pictures)
  }
}
