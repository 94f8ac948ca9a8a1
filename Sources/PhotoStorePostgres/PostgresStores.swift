public import Foundation
public import Logging
public import PhotoAttachments
public import PhotoIngestion

/// The records of a database, and the pictures that belong to them.
package struct PostgresStores {
  package let database: PostgresCatalog
  package let catalog: Catalog
  package let blobs: any BlobStorage

  /// Opens them, and makes what is missing.
  ///
  /// - Parameter objects: where pictures lie; nil for the folder, which all who use the database share then.
  package init(
    _ folder: CacheFolder, database address: String, objects: ObjectStore?, timeout: TimeInterval,
    logger: Logger
  ) throws(StoreError) {
    try folder.make()
    database = try PostgresCatalog(
      PostgresAddress(address), timeout: timeout,
      // A ledger lies beside the records, and pictures that it does not know belong to no record.
      hasPictures: objects == nil ? try folder.hasPictures() : false, logger: logger)
    if objects == nil { try folder.claimPictures(for: database.place) }
    catalog = Catalog(database, notes: NewestPhotoNote(in: folder, of: database.id))
    try catalog.checkAge(logger)
    blobs =
      if let objects {
        objects.storage(try database.ledger(of: objects.place))
      } else {
        try FolderStorage.open(folder)
      }
  }
}

extension PhotoAttachmentCache {
  /// Opens the cache whose records are in a PostgreSQL database, and makes what is missing.
  ///
  /// - Parameters:
  ///   - folder: where files of this machine lie, and pictures unless `objects` says where.
  ///   - database: the database's address as libpq reads it: `postgresql://USER@HOST:PORT/NAME`.
  ///   - objects: the store that keeps pictures; nil for the folder, which all machines that use the
  ///     database have to share then.
  ///   - policy: limits and the normalized form.
  ///   - busyTimeout: seconds to wait for others and for the server.
  ///   - pool: the threads that prepare and store photos.
  ///   - decoders: the processes that `attach(_:draft:)` decodes in: those of this program, unless
  ///     said otherwise. Nil decodes in this one, for photos of one's own.
  ///   - now: the clock, for `savedAt` and expiry.
  ///   - logger: receives what goes wrong without failing a call.
  /// - Throws: `StoreError.unreachable` without libpq or a server; `.database` when the address means
  ///   nothing, or another version of this program made the tables; `.busy`; errors of the folder.
  public static func open(
    _ folder: CacheFolder, database: String, objects: ObjectStore? = nil,
    policy: PhotoPolicy = .init(), busyTimeout: TimeInterval = 10,
    pool: WorkerPool = WorkerPool(), decoders: DecoderPool? = DecoderPool(),
    now: @escaping @Sendable () -> Date = { Date() }, logger: Logger = Logger(label: "petspot")
  ) async throws(StoreError) -> PhotoAttachmentCache {
    try await pool.finish {
      let stores = try PostgresStores(
        folder, database: database, objects: objects, timeout: busyTimeout, logger: logger)
      return PhotoAttachmentCache(
        folder, catalog: stores.catalog, blobs: stores.blobs, policy: policy, pool: pool,
        decoders: decoders, now: now, logger: logger)
    }
  }
}
