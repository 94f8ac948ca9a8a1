package import Foundation
package import Logging
package import PhotoAttachments

/// Records in a PostgreSQL database that many processes on many machines share.
///
/// A transaction is one transaction under READ COMMITTED: it holds the rows that it depends on, in one order
/// everywhere, so that different drafts and different pictures never wait for each other. When two do
/// wait for each other, the server ends one, which is begun again. What was committed is durable on the
/// server (`synchronous_commit` is the server's own setting), and an answer that is lost is asked for
/// again by the transaction's number.
///
/// Naming and deleting pictures happen inside the transaction that holds the pictures' rows.
package final class PostgresCatalog: RecordsStore {
  let server: PostgresDatabase
  package var database: any RecordsDatabase { server }
  package var workers: any WorkerRegistry { heartbeat }
  /// Shows that this process lives.
  let heartbeat: Heartbeat
  /// The database's own id.
  let id: String
  package let origin: String
  let logger: Logger
  package let watchers = AttachmentWatchers()
  let listener = Listener()

  /// Opens a database, and makes our tables in it when they are not there.
  ///
  /// - Parameters:
  ///   - address: where it is.
  ///   - timeout: seconds to wait for others.
  ///   - hasPictures: whether the storage already holds pictures.
  ///   - origin: the name of this machine among all that import.
  ///   - connections: how many are open at the same time, at most, beside one that listens.
  ///   - logger: receives what goes wrong without failing a call.
  /// - Throws: `StoreError.unreachable`, `.busy`, or `.database`, with `other-version` when another
  ///   version of this program made the tables.
  package init(
    _ address: PostgresAddress, timeout: TimeInterval, hasPictures: Bool,
    origin: String = PostgresCatalog.thisMachine, connections: Int = 8, logger: Logger
  ) throws(StoreError) {
    let pool = PostgresPool(address, timeout: timeout, most: connections)
    try Schema.prepare(pool, hasPictures: hasPictures)
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

  /// The origin of objects.
  static let ofStores = "s3"

  /// This machine's id (`/etc/machine-id`, see machine-id(5)), its name where it has none.
  package static let thisMachine: String = {
    let id = try? String(contentsOfFile: "/etc/machine-id", encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    return id.flatMap { $0.isEmpty ? nil : $0 } ?? ProcessInfo.processInfo.hostName
  }()

  /// The ledger of objects beside the records, for all processes that use both. It has connections of its
  /// own: its transactions are on the server's disk before a request is sent, whatever becomes of the catalog's
  /// transaction that they are made in.
  ///
  /// - Parameter place: where the objects are. Records are of one place.
  /// - Throws: `StoreError.otherBlobs(at:)` when objects of another one are known.
  package func ledger(of place: String) throws(StoreError) -> ObjectLedger {
    let address = server.pool.address
    let timeout = server.pool.timeout
    // Not the catalog's common lock: a catalog's transaction may hold that alone while it waits for the ledger.
    let database = PostgresDatabase(
      PostgresPool(address, timeout: timeout, most: 4), server.dialect, commonLock: .objects)
    let owner = Heartbeat(database, id: id, isNeeded: { true }, logger: logger)
    return try ObjectLedger(database, owner, of: place)
  }

  package func close() throws(StoreError) {
    listener.stop()
    server.close()
  }

  /// Reads every row of our tables, which the server checks as far as it keeps checksums.
  package func checkIntegrity() throws(StoreError) {
    try database.read { t in
      // It takes as long as the tables are large.
      try t.run("SET LOCAL statement_timeout = 0", isRepeated: false)
      for table in [
        "photo", "attachment", "library_run", "library_photo", "source_file", "import_root",
        "stored_blob", "object_writer", "object", "import_run", "import_part", "import_input",
      ] {
        try t.rows("SELECT sum(length(whole::text)) FROM \(table) AS whole")
      }
    }
  }
}
