public import Foundation
public import Logging
public import PhotoAttachments
public import PhotoIngestion

/// The records in a database and the pictures that belong to them.
package struct PostgresStores {
  package let database: PostgresCatalog
  package let catalog: Catalog
  package let blobs: any BlobStorage

  /// Opens the stores and creates missing parts.
  ///
  /// - Parameters:
  ///   - tables: the tables of the database besides those of photos.
  ///   - objects: the object store for pictures. If it is `nil`, they are in the folder, which all machines that use
  ///     the database must share.
  package init(
    _ folder: CacheFolder, database address: String, tables: [TableGroup], objects: ObjectStore?,
    timeout: TimeInterval, logger: Logger
  ) throws(StoreError) {
    try folder.make()
    database = try PostgresCatalog(
      PostgresAddress(address), tables: tables, timeout: timeout,
      // If there is an object store, its ledger is in the database, so pictures without a record don't matter.
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
  /// Opens the cache whose records are in a PostgreSQL database, and creates missing parts.
  ///
  /// - Parameters:
  ///   - folder: the folder for this machine's files, and for the pictures if `objects` is `nil`.
  ///   - database: the database's address as libpq accepts it: `postgresql://USER@HOST:PORT/NAME`.
  ///   - tables: the tables of the database besides those of photos. Tables that it has already stay in any case.
  ///   - objects: the object store for pictures. If it is `nil`, all machines that use the database must share the
  ///     folder.
  ///   - policy: the limits and the normalized form.
  ///   - busyTimeout: the time to wait for other processes and for the server.
  ///   - pool: the threads that prepare and store photos.
  ///   - decoding: the place where `attach(_:to:)` decodes, by default sandboxed processes of this program.
  ///   - now: the clock for `savedAt` and expiry.
  ///   - logger: receives problems that don't make a call fail.
  /// - Throws: `StoreError.unreachable` without libpq or a server; `.database` if the address is invalid or another
  ///   version of this program created the tables; `.busy`; errors of the folder.
  public static func open(
    _ folder: CacheFolder, database: String, tables: [TableGroup] = [],
    objects: ObjectStore? = nil, policy: PhotoPolicy = .init(),
    busyTimeout: Duration = .seconds(10),
    pool: WorkerPool = WorkerPool(), decoding: PhotoDecoding = .sandboxed(),
    now: @escaping @Sendable () -> Date = { Date() }, logger: Logger = Logger(label: "petspot")
  ) async throws(StoreError) -> PhotoAttachmentCache {
    try await pool.finish {
      let stores = try PostgresStores(
        folder, database: database, tables: tables, objects: objects, timeout: busyTimeout.seconds,
        logger: logger)
      return PhotoAttachmentCache(
        folder, catalog: stores.catalog, blobs: stores.blobs, policy: policy, pool: pool,
        decoding: decoding, now: now, logger: logger)
    }
  }
}
