import Dispatch
import GRDB
import PhotoAttachments

extension SQLiteCatalog {
  /// Brings the tables up to date whose steps begin with `prefix`.
  ///
  /// - Throws: `StoreError.database` with `newer-version` when another version of this program has changed them,
  ///   and catalog errors.
  func migrate(
    _ migrator: DatabaseMigrator, prefix: String, makeNew: @escaping (Database) throws -> Void
  ) throws(StoreError) {
    try enter()
    defer { calls.leave() }
    do {
      try Self.migrate(queue, migrator, prefix: prefix, makeNew)
    } catch {
      throw mapped(error)
    }
  }

  /// Several processes may make the tables at the same moment. Whoever is late fails on a table that
  /// was not there a moment ago, be it while looking what is done or in a step of its own, and finds on
  /// another try that less is left to do: every failure means that another process did a step.
  ///
  /// - Parameter makeNew: makes all tables at once where there are none; without it the steps do.
  static func migrate(
    _ queue: DatabaseQueue, _ migrator: DatabaseMigrator, prefix: String,
    _ makeNew: ((Database) throws -> Void)?
  ) throws {
    let tries = migrator.migrations.count + 2
    for attempt in 1...tries {
      // GRDB remembers which tables it saw: those that another process made since are none to it.
      defer { queue.inDatabase { $0.clearSchemaCache() } }
      do {
        if try queue.read({ try Migrations.isSuperseded($0, by: migrator, prefix: prefix) }) {
          throw StoreError.database(what: "newer-version", detail: "")
        }
        if try queue.read(migrator.hasCompletedMigrations) { return }
        if let makeNew {
          try queue.write { db in
            let applied = try migrator.appliedIdentifiers(db)
            guard !applied.contains(where: { $0.hasPrefix(prefix) }) else { return }
            try makeNew(db)
            // GRDB's own table.
            try db.execute(
              sql: """
                CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)
                """)
            for step in migrator.migrations {
              try db.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [step])
            }
          }
        }
        return try migrator.migrate(queue)
      } catch let error as DatabaseError
        where attempt < tries
        && [.SQLITE_ERROR, .SQLITE_CONSTRAINT].contains(error.resultCode)
      {
        continue
      }
    }
  }
}
