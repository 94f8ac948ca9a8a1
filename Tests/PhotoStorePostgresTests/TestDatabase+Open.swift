import Foundation
import Logging
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite
import ReportFlow
import Synchronization
import TestPostgres
import TestStores

@testable import PhotoStorePostgres

extension TestDatabase {
  /// Opens the catalog in this database, as another process does.
  func open(
    timeout: TimeInterval = 60, hasPictures: Bool = false, as user: String = "petspot"
  ) throws -> Catalog {
    Catalog(try store(timeout: timeout, hasPictures: hasPictures, as: user))
  }

  /// Opens the store below the catalog.
  func store(
    timeout: TimeInterval = 60, hasPictures: Bool = false, as user: String = "petspot",
    tables: [TableGroup] = [.reports]
  ) throws -> PostgresCatalog {
    var logger = Logger(label: "tests")
    logger.logLevel = .critical
    return try PostgresCatalog(
      PostgresAddress(url(of: user)), tables: tables, timeout: timeout, hasPictures: hasPictures,
      logger: logger)
  }
}

extension TestDatabase {
  /// Opens photos in this database and a cache folder.
  func photos(
    _ cache: TemporaryCache, as user: String = "petspot", tables: [TableGroup] = [.reports],
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws -> PhotoAttachmentCache {
    var logger = Logger(label: "tests")
    logger.logLevel = .critical
    let catalog = Catalog(try store(as: user, tables: tables))
    return PhotoAttachmentCache(
      cache.folder, catalog: catalog, blobs: try FolderStorage.open(cache.folder),
      policy: PhotoPolicy(), pool: WorkerPool(threadCount: 2), decoding: .inProcess, now: now,
      newID: { UUID() }, logger: logger)
  }

  /// Opens announcements in this database.
  func announcements(
    _ cache: TemporaryCache, logger: Logger = Logger(label: "tests"),
    now: @escaping @Sendable () -> Date = { Date() }
  ) throws -> AnnouncementStore {
    AnnouncementStore(
      try photos(cache), logger: logger, now: now)
  }
}

/// A value that several threads read and change.
final class Shared<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  init(_ value: Value) { mutex = Mutex(value) }

  var value: Value { mutex.withLock { $0 } }
  func change(_ work: @Sendable (inout Value) -> Void) { mutex.withLock { work(&$0) } }
}
