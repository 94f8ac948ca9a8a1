import Foundation
import GRDB
import Glibc
import ImageContainers
package import PhotoAttachments
import Synchronization

/// The ledger of objects beside the catalog of a cache folder, in a file of its own: its acts are on the
/// disk before a request is sent, whatever becomes of the catalog's act that they are made in.
package final class SQLiteObjectLedger: ObjectLedger {
  private let queue: DatabaseQueue
  private let us: FolderOwner
  private let path: String
  private let busySeconds: Int
  private let current = Mutex<String?>(nil)

  /// Opens or makes the ledger of a cache folder that was made.
  ///
  /// - Parameter place: where the objects lie. A ledger is of one place.
  /// - Throws: `StoreError.otherBlobs(at:)` when it is of another one.
  init(_ us: FolderOwner, of place: String, busyTimeout: Double) throws(StoreError) {
    self.us = us
    path = us.folder.path + "/database/objects.sqlite"
    busySeconds = Int(busyTimeout.rounded(.up))
    var configuration = Configuration()
    configuration.label = "PetSpot.objects"
    configuration.busyMode = .timeout(busyTimeout)
    configuration.prepareDatabase { db in
      try db.execute(
        sql: "PRAGMA journal_mode = DELETE; PRAGMA synchronous = EXTRA; PRAGMA trusted_schema = OFF"
      )
    }
    do {
      queue = try DatabaseQueue(path: path, configuration: configuration)
      chmod(path, 0o600)
    } catch { throw StoreError(catalog: error, path: path, busySeconds: busySeconds) }
    let known = try write { db in
      try db.execute(sql: Self.schema)
      try db.execute(sql: "INSERT OR IGNORE INTO store VALUES (1, ?)", arguments: [place])
      return try String.fetchOne(db, sql: "SELECT place FROM store") ?? ""
    }
    guard known == place else { throw .otherBlobs(at: known) }
  }

  private static let schema = """
    CREATE TABLE IF NOT EXISTS store (only INTEGER PRIMARY KEY CHECK (only = 1), place TEXT) STRICT;
    CREATE TABLE IF NOT EXISTS writer (
      id TEXT PRIMARY KEY, owner TEXT NOT NULL, isRetired INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS object (
      nonce TEXT PRIMARY KEY,
      kind TEXT NOT NULL, sha256 TEXT NOT NULL, format TEXT NOT NULL, size INTEGER NOT NULL,
      state TEXT NOT NULL CHECK (state IN ('named', 'doomed', 'aside')),
      name TEXT CHECK ((name IS NOT NULL) = (state = 'aside'))
    ) STRICT, WITHOUT ROWID;
    CREATE UNIQUE INDEX IF NOT EXISTS objectNamed ON object (kind, sha256, format)
      WHERE state = 'named';
    CREATE INDEX IF NOT EXISTS objectNotNamed ON object (state) WHERE state <> 'named';
    """

  // MARK: - Writing

  package func writer() throws(StoreError) -> String {
    if let writer = current.withLock({ $0 }) { return writer }
    let owner = try us.current().signature + "-0"
    let id = randomName()
    try write {
      try $0.execute(sql: "INSERT INTO writer (id, owner) VALUES (?, ?)", arguments: [id, owner])
    }
    // Somebody may have been faster; one more writer does no harm.
    return current.withLock { current in
      current = current ?? id
      return current ?? id
    }
  }

  package func name(_ objects: [StoredObject]) throws(StoreError) -> [StoredObject]? {
    if objects.isEmpty { return [] }
    let doomed = try write { db -> [StoredObject]? in
      var doomed: [StoredObject] = []
      for writer in Set(objects.map { StoredObject.writer(of: $0.nonce) }) {
        let isThere = try Bool.fetchOne(
          db, sql: "SELECT NOT isRetired FROM writer WHERE id = ?", arguments: [writer])
        guard isThere == true else { return nil }
      }
      for object in objects {
        // Once more is the same.
        let old = try Self.object(of: object.place, db)
        if old == object { continue }
        if let old {
          try Self.doom(old, db)
          doomed.append(old)
        }
        // One that was doomed or put aside is never named again.
        let isKnown = try Bool.fetchOne(
          db, sql: "SELECT EXISTS (SELECT 1 FROM object WHERE nonce = ?)", arguments: [object.nonce]
        )
        guard isKnown == false else { throw StoreError.fault(what: "object-named-again") }
        try Self.insert(object, "named", db)
      }
      return doomed
    }
    if doomed == nil { current.withLock { $0 = nil } }
    return doomed
  }

  package func abandon(_ object: StoredObject) throws(StoreError) -> Bool {
    try write { db in
      if try Self.object(of: object.place, db) == object { return false }
      try Self.insert(object, "doomed", db)
      let state = try String.fetchOne(
        db, sql: "SELECT state FROM object WHERE nonce = ?", arguments: [object.nonce])
      return state == "doomed"
    }
  }

  package func doom(_ place: BlobPath) throws(StoreError) -> StoredObject? {
    try write { db in
      guard let object = try Self.object(of: place, db) else { return nil }
      try Self.doom(object, db)
      return object
    }
  }

  package func putAside(_ object: StoredObject, as name: String) throws(StoreError) -> Bool {
    try write { db in
      guard try Self.object(of: object.place, db) == object else { return false }
      try db.execute(
        sql: "UPDATE object SET state = 'aside', name = ? WHERE nonce = ?",
        arguments: [name, object.nonce])
      return true
    }
  }

  package func forget(_ doomed: [StoredObject]) throws(StoreError) {
    if doomed.isEmpty { return }
    try write { db in
      for object in doomed {
        try db.execute(
          sql: "DELETE FROM object WHERE nonce = ? AND state = 'doomed'", arguments: [object.nonce])
      }
    }
  }

  package func retireDead(dryRun: Bool) throws(StoreError) -> Set<String> {
    let writers = try read {
      try Row.fetchAll($0, sql: "SELECT id, owner, isRetired FROM writer").map {
        (id: $0[0] as String, owner: $0[1] as String, isRetired: $0[2] as Bool)
      }
    }
    let dead = writers.filter { writer in
      !writer.isRetired && Owner(fileName: writer.owner)?.isAlive(in: us.folder) == false
    }.map(\.id)
    if !dryRun, !dead.isEmpty {
      try write { db in
        for id in dead {
          try db.execute(sql: "UPDATE writer SET isRetired = 1 WHERE id = ?", arguments: [id])
        }
      }
    }
    return Set(dead + writers.filter(\.isRetired).map(\.id))
  }

  // MARK: - Looking

  package func object(of place: BlobPath) throws(StoreError) -> StoredObject? {
    try read { try Self.object(of: place, $0) }
  }

  package func aside() throws(StoreError) -> [(name: String, object: StoredObject)] {
    try read { db in
      try Row.fetchAll(
        db, sql: "SELECT * FROM object WHERE state = 'aside' ORDER BY nonce"
      ).compactMap { row in
        Self.object(row).map { (row["name"], $0) }
      }
    }
  }

  package func doomed() throws(StoreError) -> [StoredObject] {
    try read { db in
      try Row.fetchAll(db, sql: "SELECT * FROM object WHERE state = 'doomed'").compactMap(
        Self.object)
    }
  }

  package func places(
    _ kind: BlobPath.Kind, shard: String
  ) throws(StoreError) -> [BlobPath] {
    try read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT * FROM object WHERE state = 'named' AND kind = ? AND sha256 >= ? AND sha256 < ?
          ORDER BY sha256
          """, arguments: [kind.rawValue, shard, shard + "g"]
      ).compactMap { Self.object($0)?.place }
    }
  }

  package func hasPictures() throws(StoreError) -> Bool {
    try read { try Bool.fetchOne($0, sql: "SELECT EXISTS (SELECT 1 FROM object)") ?? false }
  }

  package func known(_ nonces: [String]) throws(StoreError) -> Set<String> {
    try read { db in
      try Set(
        nonces.filter {
          try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM object WHERE nonce = ?)", arguments: [$0])
            ?? true
        })
    }
  }

  private static func arguments(_ place: BlobPath) -> StatementArguments {
    [place.kind.rawValue, place.sha256, place.format.rawValue]
  }

  private static func doom(_ object: StoredObject, _ db: Database) throws {
    try db.execute(
      sql: "UPDATE object SET state = 'doomed' WHERE nonce = ?", arguments: [object.nonce])
  }

  private static func insert(_ object: StoredObject, _ state: String, _ db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO object (kind, sha256, format, nonce, size, state) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT (nonce) DO NOTHING
        """, arguments: arguments(object.place) + [object.nonce, object.sizeBytes, state])
  }

  private static func object(of place: BlobPath, _ db: Database) throws -> StoredObject? {
    try Row.fetchOne(
      db,
      sql: """
        SELECT * FROM object WHERE kind = ? AND sha256 = ? AND format = ? AND state = 'named'
        """, arguments: arguments(place)
    ).flatMap(object)
  }

  private static func object(_ row: Row) -> StoredObject? {
    guard let kind = BlobPath.Kind(rawValue: row["kind"]),
      let format = ImageFormat(rawValue: row["format"]),
      let place = BlobPath(kind, sha256: row["sha256"], format: format)
    else { return nil }
    return StoredObject(place: place, nonce: row["nonce"], sizeBytes: row["size"])
  }

  // MARK: - The file

  private func read<T>(_ work: (Database) throws -> T) throws(StoreError) -> T {
    do { return try queue.read(work) } catch { throw mapped(error) }
  }

  /// One transaction. When a commit says that it failed, the file says whether it was done, as in
  /// `SQLiteCatalog`.
  private func write<T>(_ work: (Database) throws -> T) throws(StoreError) -> T {
    do {
      return try queue.writeWithoutTransaction { db in
        var value: T?
        let mark = Int32.random(in: 1 ... .max)
        do {
          try db.inTransaction(.immediate) {
            value = try work(db)
            try db.execute(sql: "PRAGMA user_version = \(mark)")
            return .commit
          }
        } catch {
          let isDone = try Int32.fetchOne(db, sql: "PRAGMA user_version") == mark
          guard value != nil, isDone else { throw error }
        }
        guard let value else { throw StoreError.fault(what: "transaction") }
        return value
      }
    } catch { throw mapped(error) }
  }

  private func mapped(_ error: any Error) -> StoreError {
    StoreError(catalog: error, path: path, busySeconds: busySeconds)
  }
}
