public import Foundation
public import Logging
public import PhotoAttachments
public import PhotoIngestion

extension PhotoAttachmentCache {
  /// Opens the cache in a folder, its catalog an SQLite database there, and makes what is missing.
  ///
  /// - Parameters:
  ///   - folder: where everything lies.
  ///   - objects: the store that keeps pictures; nil for the folder.
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
    _ folder: CacheFolder, objects: ObjectStore? = nil, policy: PhotoPolicy = .init(),
    busyTimeout: TimeInterval = 10, pool: WorkerPool = WorkerPool(),
    decoders: DecoderPool? = DecoderPool(),
    now: @escaping @Sendable () -> Date = { Date() },
    newID: @escaping @Sendable () -> UUID = { UUID() }, logger: Logger = Logger(label: "petspot")
  ) async throws(StoreError) -> PhotoAttachmentCache {
    try await pool.finish {
      let stores = try FolderStores(
        folder, objects: objects, busyTimeout: busyTimeout, logger: logger)
      return PhotoAttachmentCache(
        folder, catalog: stores.catalog, blobs: stores.blobs, policy: policy, pool: pool,
        decoders: decoders, now: now, newID: newID, logger: logger)
    }
  }

  /// Opens an empty cache for a test: its folder goes with it, and photos are decoded in this process, which
  /// need not be a decoder.
  ///
  /// - Parameters:
  ///   - policy: limits and the normalized form.
  ///   - now: the clock, for `savedAt` and expiry.
  /// - Throws: as `open(_:)`.
  public static func temporary(
    policy: PhotoPolicy = .init(), now: @escaping @Sendable () -> Date = { Date() }
  ) async throws(StoreError) -> PhotoAttachmentCache {
    let folder = TemporaryFolder()
    return try await open(
      CacheFolder(path: folder.path), policy: policy, decoders: nil, now: now,
      // The cache keeps the folder.
      newID: { [folder] in withExtendedLifetime(folder) { UUID() } })
  }

  /// A folder of this machine's temporary ones that is deleted with this object.
  private final class TemporaryFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.path + "/petspot-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }
}
