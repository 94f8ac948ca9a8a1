import GRDB
import GRDBSQLite
import Testing

@testable import PhotoAttachments
@testable import PhotoStoreSQLite
import TestStores

@Suite("A commit that fails after it took effect", .serialized)
struct LateFailureTests {
  private let cache = TemporaryCache()

  @Test("The transaction counts as committed, whatever another process commits in the meantime")
  func done() throws {
    let (catalog, other) = (try cache.open().sqlite, try cache.open().sqlite)
    try catalog.writer.writeWithoutTransaction { db in
      LateFailure.happen(once: try #require(db.sqliteConnection)) {
        #expect(throws: Never.self) {
          _ = try other.write { try $0.execute("UPDATE store SET last_ticket = 7") }
        }
      }
    }
    _ = try catalog.write {
      try $0.execute("INSERT INTO regular_job (name, succeeded_at) VALUES ('a', 0)")
    }
    #expect(LateFailure.hasHappened)
    let found = try other.readRaw {
      try Row.fetchOne($0, sql: "SELECT last_ticket, (SELECT name FROM regular_job) FROM store")
    }
    #expect(found?[0] == 7 && found?[1] == "a")
  }
}

/// Lets a connection lose its lock while a commit releases it, and report a failure of that.
private enum LateFailure {
  nonisolated(unsafe) private static var methods: sqlite3_io_methods?
  nonisolated(unsafe) private static var meanwhile: (() -> Void)?

  static var hasHappened: Bool { methods != nil && meanwhile == nil }

  /// - Parameter meanwhile: a closure that runs before the connection does anything else.
  static func happen(once connection: OpaquePointer, _ meanwhile: @escaping () -> Void) {
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
    guard let file, let usual = file.pointee.pMethods else { return }
    methods = usual.pointee
    self.meanwhile = meanwhile
    let changed = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    changed.initialize(to: usual.pointee)
    changed.pointee.xUnlock = { file, level in
      guard level == SQLITE_LOCK_SHARED, let meanwhile = LateFailure.meanwhile else {
        return LateFailure.methods?.xUnlock(file, level) ?? SQLITE_ERROR
      }
      LateFailure.meanwhile = nil
      _ = LateFailure.methods?.xUnlock(file, SQLITE_LOCK_NONE)
      meanwhile()
      return SQLITE_IOERR | 8 << 8  // SQLITE_IOERR_UNLOCK
    }
    file.pointee.pMethods = UnsafePointer(changed)
  }
}
