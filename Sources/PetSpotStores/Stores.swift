public import Foundation
import Logging
public import PhotoAttachments
public import PhotoIngestion
import PhotoStorePostgres
import PhotoStoreSQLite
public import ReportFlow

/// What commands and servers keep and find: photos, drafts and announcements.
public struct Stores: Sendable {
  /// Photos and what drafts show of them.
  public let photos: PhotoAttachmentCache
  /// Reports under way.
  public let drafts: DraftStore
  /// Announcements.
  public let announcements: AnnouncementStore
  /// Imports that many workers share; nil without a database.
  package let runs: ImportRuns?
  /// Where the servers of one database keep resumable uploads; nil without a database.
  package var uploads: (@Sendable (UploadLimits) -> any UploadStorage)?

  /// Version of the SQLite that keeps records on this machine.
  package static var sqliteVersion: String { SQLiteCatalog.libraryVersion }

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
  /// - Throws: `StoreError` of the folder, the catalog or the database.
  public static func open(
    _ folder: CacheFolder, database: String? = nil, blobs: String? = nil,
    policy: PhotoPolicy = .init(), pool: WorkerPool, decoders: DecoderPool?, timeout: TimeInterval
  ) throws(StoreError) -> Self {
    let named = getenv("PETSPOT_BUSY_SECONDS").flatMap { Double(String(cString: $0)) }
    let timeout = named.map { min(max($0, 0), 3600) } ?? timeout
    let logger = Logger(label: "petspot")
    let objects = try blobs.map { blobs throws(StoreError) in try Self.objects(blobs) }
    if let database {
      return try open(
        folder, PostgresAddress(database), objects, policy: policy, pool: pool,
        decoders: decoders, timeout: timeout, logger)
    }
    let photos = try PhotoAttachmentCache.open(
      folder, policy: policy, busyTimeout: timeout, pool: pool, decoders: decoders,
      objects: objects)
    return try Stores(photos, runs: nil, logger)
  }

  /// Drafts and announcements lie in the database of the photos.
  private init(
    _ photos: PhotoAttachmentCache, runs: ImportRuns?,
    uploads: (@Sendable (UploadLimits) -> any UploadStorage)? = nil, _ logger: Logger
  ) throws(StoreError) {
    (self.photos, self.runs, self.uploads) = (photos, runs, uploads)
    drafts = DraftStore(photos, logger: logger)
    announcements = AnnouncementStore(photos, logger: logger)
  }

  private static func open(
    _ folder: CacheFolder, _ address: PostgresAddress, _ objects: ObjectStore?,
    policy: PhotoPolicy, pool: WorkerPool, decoders: DecoderPool?, timeout: TimeInterval,
    _ logger: Logger
  ) throws(StoreError) -> Self {
    try folder.make()
    let catalog = try PostgresCatalog(
      address, timeout: timeout,
      // A ledger lies beside the records, and pictures that it does not know belong to no record.
      hasPictures: objects == nil ? try folder.hasPictures() : false, logger: logger)
    let pictures: any BlobStorage =
      if let objects {
        objects.storage(try catalog.ledger(of: objects.place))
      } else {
        try FolderStorage.open(folder)
      }
    let photos = PhotoAttachmentCache(
      folder, catalog: Catalog(catalog), blobs: pictures, policy: policy, pool: pool,
      decoders: decoders,
      now: { Date() }, newID: { UUID() }, logger: logger)
    return try Stores(
      photos, runs: ImportRuns(photos.catalog),
      uploads: { PostgresUploads(catalog, folder: folder, limits: $0) }, logger)
  }
}
