import Dispatch
public import Foundation
import Glibc
public import Logging
public import PhotoAttachments
public import PhotoIngestion

extension PhotoAttachmentCache {
  /// Opens the cache in a folder, its catalog an SQLite database there, and makes what is missing.
  ///
  /// - Parameters:
  ///   - folder: where everything lies.
  ///   - policy: limits and the normalized form.
  ///   - busyTimeout: seconds to wait while another process writes to the catalog.
  ///   - pool: the threads that prepare and store photos.
  ///   - decoders: the processes that `attach(_:draft:)` decodes in: those of this program, unless
  ///     said otherwise. Nil decodes in this one, for photos of one's own.
  ///   - now: the clock, for `savedAt` and expiry.
  ///   - newID: makes photo identifiers.
  ///   - logger: receives what goes wrong without failing a call.
  /// - Throws: `StoreError.cacheUnavailable` when the folder cannot be made or written;
  ///   `.unsafeCache` when it, or the catalog, is in others' hands;
  ///   `.database` when the catalog is damaged or of another version (nothing is deleted then);
  ///   `.busy`.
  public static func open(
    _ folder: CacheFolder, policy: PhotoPolicy = .init(), busyTimeout: TimeInterval = 10,
    pool: WorkerPool = WorkerPool(), decoders: DecoderPool? = DecoderPool(),
    now: @escaping @Sendable () -> Date = { Date() },
    newID: @escaping @Sendable () -> UUID = { UUID() }, logger: Logger = Logger(label: "petspot")
  ) async throws(StoreError) -> PhotoAttachmentCache {
    try await pool.act { () throws(StoreError) in
      try open(
        folder, policy: policy, busyTimeout: busyTimeout, pool: pool, decoders: decoders, now: now,
        newID: newID, logger: logger)
    }
  }

  /// The same, blocking.
  ///
  /// - Parameter objects: where pictures lie, unless it is the folder.
  package static func open(
    _ folder: CacheFolder, policy: PhotoPolicy = .init(), busyTimeout: TimeInterval = 10,
    pool: WorkerPool = WorkerPool(), decoders: DecoderPool? = DecoderPool(),
    now: @escaping @Sendable () -> Date = { Date() },
    newID: @escaping @Sendable () -> UUID = { UUID() }, logger: Logger = Logger(label: "petspot"),
    objects: ObjectStore? = nil
  ) throws(StoreError) -> PhotoAttachmentCache {
    try folder.make()
    let workers = FolderWorkers(folder: folder)
    let ledger = try objects.map { objects throws(StoreError) in
      try ObjectLedger(
        SQLiteCatalog.objects(workers, busyTimeout: busyTimeout, logger: logger).database, workers,
        of: objects.place)
    }
    let hasPictures = if let ledger { try ledger.hasPictures() } else { try folder.hasPictures() }
    if hasPictures, access(folder.catalog, F_OK) != 0 {
      logger.warning(
        "the catalog is gone and is made anew; pictures that are there are kept without a record",
        metadata: ["path": "\(folder.catalog)"])
    }
    try folder.secureCatalog()
    let catalog = try SQLiteCatalog(
      workers, busyTimeout: busyTimeout, hasPictures: hasPictures, logger: logger)
    let blobs = ledger.flatMap { objects?.storage($0) } ?? FolderStorage(workers)
    return PhotoAttachmentCache(
      folder, catalog: Catalog(catalog), blobs: blobs, policy: policy, pool: pool,
      decoders: decoders, now: now, newID: newID, logger: logger)
  }
}
