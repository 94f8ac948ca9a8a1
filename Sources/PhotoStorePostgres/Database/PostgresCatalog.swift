package import Foundation
package import Logging
package import PhotoAttachments

/// Records in a PostgreSQL database that many processes on many machines share.
///
/// Transactions run under READ COMMITTED and lock the rows that they depend on, so that different drafts and different
/// pictures never wait for each other. All of them lock in the same order to prevent deadlocks. If a deadlock happens
/// nevertheless, the server ends one transaction, which is then repeated. Committed data is durable on the server
/// (`synchronous_commit` is the server's own setting). If the response to a commit is lost, the outcome is looked up by
/// a mark that the transaction wrote (`CommitMark`).
///
/// New pictures get their final names, and unused ones are deleted, inside the transaction that locks their rows.
package final class PostgresCatalog: RecordsStore {
  let server: PostgresDatabase
  package var database: any RecordsDatabase { server }
  package var workers: any WorkerRegistry { heartbeat }
  /// The sign of life of this process.
  let heartbeat: Heartbeat
  /// The database's own id.
  let id: String
  package let origin: String
  let logger: Logger
  package let watchers = AttachmentWatchers()
  let listener = Listener()

  /// Opens a database and creates missing tables.
  ///
  /// - Parameters:
  ///   - address: the database's address.
  ///   - tables: the tables besides those of photos.
  ///   - timeout: the number of seconds to wait for other processes.
  ///   - hasPictures: `true` if the storage already contains pictures.
  ///   - origin: the name of this machine among all machines that import.
  ///   - connections: the maximum number of simultaneous connections, without the one that listens.
  ///   - logger: receives problems that don't make a call fail.
  /// - Throws: `StoreError.unreachable`, `.busy` or `.database`, with `other-version` if another version of this
  ///   program created the tables.
  package init(
    _ address: PostgresAddress, tables: [TableGroup], timeout: TimeInterval, hasPictures: Bool,
    origin: String = PostgresCatalog.thisMachine, connections: Int = 8, logger: Logger
  ) throws(StoreError) {
    let pool = PostgresPool(address, timeout: timeout, most: connections)
    try Schema.prepare(pool, tables, hasPictures: hasPictures)
    server = PostgresDatabase(pool, .postgres)
    let found = try server.rows("SELECT id FROM store").first?.text(0)
    guard let id = found else {
      throw .database(.damaged, detail: "PostgreSQL at \(address.shown): no store")
    }
    self.id = id
    self.origin = origin
    self.logger = logger
    heartbeat = Heartbeat(server, id: id, logger: logger)
  }

  deinit { listener.stop() }

  package var place: String { "postgresql \(id)" }
  package var origins: (files: String, objects: String) { (origin, Self.ofStores) }

  /// The origin of objects in object stores.
  static let ofStores = "s3"

  /// This machine's id (`/etc/machine-id`, see machine-id(5)), or its host name if the file is missing or empty.
  package static let thisMachine: String = {
    let id = try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return id.flatMap { $0.isEmpty ? nil : $0 } ?? ProcessInfo.processInfo.hostName
  }()

  /// Returns the ledger of objects for all processes that use the records and the objects. It has connections of its
  /// own, so its transactions are durable before a request is sent, even if the catalog's surrounding transaction is
  /// rolled back.
  ///
  /// - Parameter place: the location of the objects. All records belong to one location.
  /// - Throws: `StoreError.otherBlobs(at:)` if the ledger has objects of another location.
  package func ledger(of place: String) throws(StoreError) -> ObjectLedger {
    let address = server.pool.address
    let timeout = server.pool.timeout
    // The ledger has a lock of its own, because a transaction may hold the catalog's lock exclusively while it waits
    // for the ledger.
    let database = PostgresDatabase(
      PostgresPool(address, timeout: timeout, most: 4), server.dialect, commonLock: .objects)
    let owner = Heartbeat(database, id: id, isNeeded: { true }, logger: logger)
    return try ObjectLedger(database, owner, of: place)
  }

  package func close() throws(StoreError) {
    listener.stop()
    server.close()
  }

  /// Reads every row of the tables for photos and imports, so that the server verifies its checksums if it has them.
  package func checkIntegrity() throws(StoreError) {
    try database.read { t in
      // The duration depends on the size of the tables.
      try t.execute("SET LOCAL statement_timeout = 0", isRepeated: false)
      for table in [
        "photo", "attachment", "library_run", "library_photo", "library_copy",
        "source_file", "import_root",
        "stored_blob", "object_writer", "object", "import_run", "import_part", "import_input",
      ] {
        try t.rows("SELECT sum(length(whole::text)) FROM \(table) AS whole")
      }
    }
  }
}
