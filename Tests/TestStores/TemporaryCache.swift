package import Foundation
package import GRDB
import Glibc
package import Logging
package import PhotoAttachments
package import PhotoIngestion
package import PhotoStoreSQLite
import Synchronization

/// A cache folder for one test, deleted with this value.
package final class TemporaryCache: Sendable {
  package let folder: CacheFolder

  /// - Parameter isInMemory: puts the folder on a disk in memory. This is for tests of what operations do, not of what
  ///   survives a power cut.
  package init(isInMemory: Bool = false) {
    let path = isInMemory ? "/dev/shm" : FileManager.default.temporaryDirectory.path
    folder = CacheFolder(path: path + "/petspot-tests-\(UUID().uuidString)")
  }

  deinit { try? FileManager.default.removeItem(atPath: folder.path) }

  package func open(
    busyTimeout: TimeInterval = 5, now: @escaping @Sendable () -> Date = { Date() },
    tables: [TableGroup] = []
  ) throws -> PhotoAttachmentCache {
    var logger = Logger(label: "tests")
    logger.logLevel = .critical
    return try .opened(
      folder, busyTimeout: busyTimeout, pool: WorkerPool(threadCount: 2), now: now, logger: logger,
      tables: tables)
  }

  /// The sorted paths, below the cache folder, of all files in its three picture folders.
  package var files: [String] {
    ["incoming", "blobs", "previews"].flatMap { name in
      (FileManager.default.enumerator(atPath: folder.path + "/" + name)?.allObjects ?? [])
        .compactMap { $0 as? String }.map { name + "/" + $0 }
    }.filter {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: folder.path + "/" + $0, isDirectory: &isFolder)
        && !isFolder.boolValue
    }.sorted()
  }

  /// The number of staged pictures.
  package var stagedCount: Int {
    files.count { $0.hasPrefix("incoming/") && !$0.hasSuffix(".lock") }
  }

  /// Replaces the bytes of a stored picture, as damage does.
  @Sendable package func damage(_ place: BlobPath, _ bytes: [UInt8]) throws {
    let path = folder.path + "/" + place.relativePath
    unlink(path)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  package func write(_ text: String, to name: String) throws {
    try text.write(toFile: folder.path + "/" + name, atomically: false, encoding: .utf8)
  }

  /// Moves a file's modification time into the past.
  package func age(_ name: String, seconds: TimeInterval) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date().addingTimeInterval(-seconds)],
      ofItemAtPath: folder.path + "/" + name)
  }
}

extension SQLiteDatabase {
  /// Reads directly, bypassing the store's own operations.
  package func readRaw<T>(_ work: (Database) throws -> T) throws -> T { try writer.read(work) }

  /// Writes directly, bypassing the store's own operations.
  package func writeRaw<T>(_ work: (Database) throws -> T) throws -> T { try writer.write(work) }
}

extension PhotoAttachmentCache {
  /// Opens the cache in a folder. Blocks the calling thread.
  package static func opened(
    _ folder: CacheFolder, busyTimeout: TimeInterval = 10, pool: WorkerPool = WorkerPool(),
    decoding: PhotoDecoding = .sandboxed(), now: @escaping @Sendable () -> Date = { Date() },
    logger: Logger = Logger(label: "tests"), tables: [TableGroup] = [],
    objects: ObjectStore? = nil
  ) throws -> PhotoAttachmentCache {
    let stores = try FolderStores(
      folder, tables: tables, objects: objects, busyTimeout: busyTimeout, logger: logger)
    return PhotoAttachmentCache(
      folder, catalog: stores.catalog, blobs: stores.blobs, policy: .init(), pool: pool,
      decoding: decoding, now: now, logger: logger)
  }

  /// The database behind the catalog.
  package var sqlite: SQLiteDatabase { catalog.store as! SQLiteDatabase }
  /// The folder that stores the pictures.
  package var files: FolderStorage { blobs as! FolderStorage }

  /// Verifies all photos in this process.
  package func verify(
    all: Bool = false, _ change: (inout VerifyOptions) -> Void = { _ in }
  ) async throws -> VerifyReport {
    try await verifyTelling(all: all, change).report
  }

  /// Verifies like `verify`, and also returns each finding.
  package func verifyTelling(
    all: Bool = false, _ change: (inout VerifyOptions) -> Void = { _ in }
  ) async throws -> (report: VerifyReport, findings: [VerifyReport.Finding]) {
    var options = VerifyOptions()
    options.all = all
    change(&options)
    let told = Told()
    let verifier = PhotoVerifier(
      cache: self, pipeline: PhotoPipeline(decoding: .inProcess), options: options)
    let report = try await verifier.verify { finding in told.add(finding) }
    return (report, told.findings)
  }

  private final class Told: Sendable {
    private let list = Mutex<[VerifyReport.Finding]>([])
    var findings: [VerifyReport.Finding] { list.withLock { $0 } }
    func add(_ finding: VerifyReport.Finding) { list.withLock { $0.append(finding) } }
  }
}
