import GRDBSQLite

extension SQLiteCatalog {
  /// Version of the system's SQLite.
  package static var libraryVersion: String { String(cString: sqlite3_libversion()) }
}
