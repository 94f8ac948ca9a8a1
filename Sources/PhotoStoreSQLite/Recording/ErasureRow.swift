import GRDB
import PhotoAttachments

/// Marks of what was erased or forgotten (decision 44).
enum ErasureRow {
  static func insert(_ marks: [String], _ db: Database) throws {
    for mark in marks {
      try db.cachedStatement(sql: "INSERT OR IGNORE INTO erasure (mark) VALUES (?)")
        .execute(arguments: [mark])
    }
  }

  /// Those of the marks that are on record.
  static func among(_ marks: some Sequence<String>, _ db: Database) throws -> Set<String> {
    let statement = try db.cachedStatement(sql: "SELECT mark FROM erasure WHERE mark = ?")
    var found: Set<String> = []
    for mark in marks {
      if let mark = try String.fetchOne(statement, arguments: [mark]) { found.insert(mark) }
    }
    return found
  }
}
