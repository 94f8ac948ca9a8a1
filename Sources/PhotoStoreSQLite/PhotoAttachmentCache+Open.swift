public import Foundation
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
    try await pool.finish {
      let stores = try FolderStores(folder, busyTimeout: busyTimeout, logger: logger)
      return PhotoAttachmentCache(
        folder, catalog: stores.catalog, blobs: stores.blobs, policy: policy, pool: pool,
        decoders: decoders, now: now, newID: newID, logger: logger)
    }
  }
}
