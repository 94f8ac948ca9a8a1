public import Foundation
public import Logging
public import PhotoAttachments
public import PhotoIngestion

extension PhotoAttachmentCache {
  /// Opens the cache in a folder, with an SQLite database as its catalog, and creates missing parts.
  ///
  /// - Parameters:
  ///   - folder: the cache folder.
  ///   - tables: the tables of the catalog besides those of photos. Tables that it has already stay in any case.
  ///   - objects: the object store for pictures. If it is `nil`, they are in the folder.
  ///   - policy: the limits and the normalized form.
  ///   - busyTimeout: the time to wait while another process writes to the catalog.
  ///   - pool: the threads that prepare and store photos.
  ///   - decoding: the place where `attach(_:to:)` decodes, by default sandboxed processes of this program.
  ///   - now: the clock for `savedAt` and expiry.
  ///   - newID: makes photo identifiers.
  ///   - logger: receives problems that don't make a call fail.
  /// - Throws: `StoreError.cacheUnavailable` if the folder can't be created or written to; `.unsafeCache` if other
  ///   users can change it or the catalog; `.database` if the catalog is damaged or of another version (nothing is
  ///   deleted then); `.busy`.
  public static func open(
    _ folder: CacheFolder, tables: [TableGroup] = [], objects: ObjectStore? = nil,
    policy: PhotoPolicy = .init(), busyTimeout: Duration = .seconds(10),
    pool: WorkerPool = WorkerPool(),
    decoding: PhotoDecoding = .sandboxed(),
    now: @escaping @Sendable () -> Date = { Date() },
    newID: @escaping @Sendable () -> UUID = { UUID() }, logger: Logger = Logger(label: "petspot")
  ) async throws(StoreError) -> PhotoAttachmentCache {
    try await pool.finish {
      let stores = try FolderStores(
        folder, tables: tables, objects: objects, busyTimeout: busyTimeout.seconds, logger: logger)
      return PhotoAttachmentCache(
        folder, catalog: stores.catalog, blobs: stores.blobs, policy: policy, pool: pool,
        decoding: decoding, now: now, newID: newID, logger: logger)
    }
  }

  /// Opens an empty cache for a test. Its folder is deleted with it. Photos are decoded in this process, so the test
  /// program needn't be a decoder.
  ///
  /// - Parameters:
  ///   - tables: the tables of the catalog besides those of photos.
  ///   - policy: the limits and the normalized form.
  ///   - now: the clock for `savedAt` and expiry.
  /// - Throws: the errors of `open(_:)`.
  public static func temporary(
    tables: [TableGroup] = [], policy: PhotoPolicy = .init(),
    now: @escaping @Sendable () -> Date = { Date() }
  ) async throws(StoreError) -> PhotoAttachmentCache {
    let folder = TemporaryFolder()
    return try await open(
      CacheFolder(path: folder.path), tables: tables, policy: policy, decoding: .inProcess,
      now: now,
      // The closure keeps the folder alive as long as the cache.
      newID: { [folder] in withExtendedLifetime(folder) { UUID() } })
  }

  /// A temporary folder that is deleted with this object.
  private final class TemporaryFolder: Sendable {
    let path = FileManager.default.temporaryDirectory.path + "/petspot-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: path) }
  }
}
