import GRDB
import GRDBSQLite

extension Database {
  /// What the system said when this connection last failed to open, read, write or sync a file; 0
  /// when it never did.
  var systemErrno: Int32 { sqlite3_system_errno(sqliteConnection) }
}
