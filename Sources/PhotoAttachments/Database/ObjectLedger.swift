import Foundation
import ImageContainers
import Synchronization

/// Records which object of an object store contains each picture. Such a store may carry out a request long after its
/// client gave up, so no name is ever used twice. An object's name consists of its picture and a *nonce*, and the
/// ledger has the current nonce of each picture. If a late request creates or deletes an object, that object is never
/// read.
///
/// An object is *on its way* first, when only its writer has its name. Then it is *named*. At last it is *doomed*
/// (waiting to be deleted) or *aside* (in quarantine). Only two kinds of objects are ever deleted: doomed ones, and
/// those that aren't in the ledger and whose writer is retired. Neither is ever named again.
///
/// Operations block, are atomic, and are durable when they return. They may be called inside a catalog's `naming` and
/// `deleting`, but aren't part of the catalog's transaction, so they use their own connections or file. The protocol is
/// model-checked in Scripts/modelling/blobs.pml.
package final class ObjectLedger: Sendable {
  package let database: any RecordsDatabase
  private let workers: any WorkerRegistry
  private let place: FieldValue
  private let current = Mutex<String?>(nil)

  /// Opens the ledger in a database.
  ///
  /// - Parameters:
  ///   - workers: the processes that write objects.
  ///   - place: the location of the objects. A ledger has only one.
  /// - Throws: `StoreError.otherBlobs(at:)` if it contains objects of another place.
  package init(
    _ database: any RecordsDatabase, _ workers: any WorkerRegistry, of place: String
  ) throws(StoreError) {
    self.database = database
    self.workers = workers
    self.place = .text(place)
    let other = try database.rows(
      "SELECT place FROM object WHERE place <> $1 LIMIT 1", [self.place])
    if let other = other.first?.text(0) { throw .otherBlobs(at: other) }
  }

  // MARK: - Writing

  /// Returns this process's writer ID, 32 hexadecimal digits that are never used by another writer. Its nonces begin
  /// with it. The ID is recorded before it is returned. A retired writer is replaced by a new one.
  package func writer() throws(StoreError) -> String {
    if let writer = current.withLock({ $0 }) { return writer }
    try workers.start()
    let id = randomName()
    let worker = try workers.worker()
    _ = try database.write { t in
      try t.execute(
        "INSERT INTO object_writer (id, place, worker) VALUES ($1, $2, $3)",
        [.text(id), place, .text(worker)])
    }
    // Another thread may have been faster. An extra writer does no harm.
    return current.withLock { current in
      current = current ?? id
      return current ?? id
    }
  }

  /// Assigns objects to their pictures, all or none. All of them must have been completely stored by this process's
  /// writer. The previous objects of the pictures are doomed.
  ///
  /// Each change of a picture's object locks that picture until the end of the transaction. Naming locks the writers
  /// before that, so that a writer that is being retired has either finished naming or can't name any more.
  ///
  /// - Parameter objects: one for each picture.
  /// - Returns: the doomed objects; `nil` if the writer was retired. In that case nothing was named, and the caller has
  ///   to store the objects again.
  package func name(_ objects: [StoredObject]) throws(StoreError) -> [StoredObject]? {
    if objects.isEmpty { return [] }
    let places = objects.map(\.place)
    let doomed = try database.write { t -> [StoredObject]? in
      let (areAlive, _, before, _, inserted) = try t.fetch(
        lockingWriters(of: objects, t.dialect), locking(places, t.dialect),
        named(places, t.dialect), doomingOthers(objects, t.dialect),
        inserting(objects, "named", t.dialect))
      guard areAlive else {
        t.rollsBack = true
        return nil
      }
      // Naming an object twice is allowed. A doomed or quarantined object is never named again.
      let again = Set(before).intersection(objects)
      guard inserted == objects.count - again.count else {
        throw StoreError.fault(.objectNamedAgain)
      }
      return before.filter { !again.contains($0) }
    }
    if doomed == nil { current.withLock { $0 = nil } }
    return doomed
  }

  /// Records that existing objects contain their pictures, unless other objects do.
  package func adopt(_ objects: [StoredObject]) throws(StoreError) {
    _ = try database.write { t in try t.fetch(inserting(objects, "named", t.dialect)) }
  }

  /// Dooms an object of this process's writer unless it is named. Returns `true` if it is doomed now.
  package func abandon(_ object: StoredObject) throws(StoreError) -> Bool {
    try database.write { t in
      if try selectLocked(object.place, t) == object { return false }
      return try t.fetch(
        inserting([object], "doomed", t.dialect),
        Query(
          "SELECT state = 'doomed' FROM object WHERE place = $1 AND nonce = $2",
          [place, .text(object.nonce)]
        ) { $0.rows.first?.isTrue(0) ?? false }
      ).1
    }
  }

  /// Dooms the object of a picture and returns it; `nil` if the picture has no object. Call this only inside a
  /// catalog's `deleting`.
  package func doom(_ picture: BlobPath) throws(StoreError) -> StoredObject? {
    try database.write { t in
      guard let object = try selectLocked(picture, t) else { return nil }
      try t.execute(
        "UPDATE object SET state = 'doomed' WHERE place = $1 AND nonce = $2",
        [place, .text(object.nonce)])
      return object
    }
  }

  /// Moves a picture's object to quarantine under this name. Returns `true` if it was the picture's object until now.
  package func quarantine(_ object: StoredObject, as name: String) throws(StoreError) -> Bool {
    try database.write { t in
      guard try selectLocked(object.place, t) == object else { return false }
      try t.execute(
        "UPDATE object SET state = 'aside', name = $3 WHERE place = $1 AND nonce = $2",
        [place, .text(object.nonce), .text(name)])
      return true
    }
  }

  /// Deletes the entries of doomed objects, which were deleted from the store.
  package func forget(_ doomed: [StoredObject]) throws(StoreError) {
    if doomed.isEmpty { return }
    _ = try database.write { t in
      try t.execute(
        """
        DELETE FROM object
        WHERE place = $1 AND nonce \(t.dialect.among("$2")) AND state = 'doomed'
        """, [place, .list(doomed.map(\.nonce).sorted())])
    }
  }

  /// Retires the writers whose process is gone, so that they can't name objects any more. A writer that was only slow
  /// finds this out when it names. A dry run retires none.
  ///
  /// - Returns: the writers that are retired, or would be. Their objects are rubbish unless they are in the ledger.
  package func retireDead(dryRun: Bool) throws(StoreError) -> Set<String> {
    try database.write(dryRun: dryRun) { t in
      let dead = try t.rows(
        """
        SELECT id, worker FROM object_writer
        WHERE place = $1 AND NOT is_retired AND NOT \(t.dialect.isSeen("object_writer.worker"))
        ORDER BY id\(t.dialect.forUpdate)
        """, [place]
      ).compactMap { row -> String? in
        guard let worker = row.text(1), !workers.isThisProcess(worker),
          !workers.isAlive(worker, isSeen: false)
        else { return nil }
        return row.text(0)
      }
      if !dead.isEmpty {
        try t.execute(
          "UPDATE object_writer SET is_retired = true WHERE id \(t.dialect.among("$1"))",
          [.list(dead)])
      }
      return Set(
        try t.rows("SELECT id FROM object_writer WHERE place = $1 AND is_retired", [place])
          .compactMap { $0.text(0) })
    }
  }

  // MARK: - Lookups

  /// Returns the object of a picture; `nil` if it has no object.
  package func object(of picture: BlobPath) throws(StoreError) -> StoredObject? {
    if let name = picture.quarantined {
      return try objects("state = 'aside' AND name = $2", [.text(name)]).first?.object
    }
    return try objects(
      "state = 'named' AND kind = $2 AND sha256 = $3 AND format = $4",
      Self.texts(picture).map { .text($0) }
    ).first?.object
  }

  /// Returns the objects that wait to be deleted.
  package func selectDoomed() throws(StoreError) -> [StoredObject] {
    try objects("state = 'doomed'").map(\.object)
  }

  /// Returns the pictures in a folder that have an object.
  package func places(in folder: BlobPath.Folder) throws(StoreError) -> [BlobPath] {
    switch folder {
    case .shard(let kind, let shard): try objects(of: kind, in: shard).map(\.place)
    case .quarantine:
      try objects("state = 'aside' ORDER BY nonce").compactMap { $0.name }
        .compactMap { BlobPath(quarantined: $0) }
    }
  }

  /// Returns the objects of pictures of this kind whose digests begin with these digits.
  package func objects(
    of kind: BlobPath.Kind, in shard: String
  ) throws(StoreError) -> [StoredObject] {
    try objects(
      "state = 'named' AND kind = $2 AND sha256 >= $3 AND sha256 < $4 ORDER BY sha256",
      [.text(kind.rawValue), .text(shard), .text(shard + "g")]
    ).map(\.object)
  }

  /// Returns `true` if the ledger has any objects.
  package func hasPictures() throws(StoreError) -> Bool {
    try database.rows("SELECT EXISTS (SELECT 1 FROM object WHERE place = $1)", [place])
      .first?.isTrue(0) ?? false
  }

  /// Returns those of the nonces that are in the ledger.
  package func known(_ nonces: [String]) throws(StoreError) -> Set<String> {
    if nonces.isEmpty { return [] }
    let amongNonces = database.dialect.among("$2")
    return Set(
      try database.rows(
        "SELECT nonce FROM object WHERE place = $1 AND nonce \(amongNonces)",
        [place, .list(nonces)]
      ).compactMap { $0.text(0) })
  }

  // MARK: - Queries

  private static let columns = "kind, sha256, format, nonce, size, name"

  private func objects(
    _ condition: String, _ values: [FieldValue] = []
  ) throws(StoreError) -> [(object: StoredObject, name: String?)] {
    try database.rows(
      "SELECT \(Self.columns) FROM object WHERE place = $1 AND \(condition)", [place] + values
    ).compactMap { row in Self.object(row).map { ($0, row.text(5)) } }
  }

  /// Returns the object in a row; `nil` if this version doesn't support such pictures.
  private static func object(_ row: ResultRow) -> StoredObject? {
    guard let place = Dialect.picture(row), let nonce = row.text(3), let size = row.number(4)
    else { return nil }
    return StoredObject(place: place, nonce: nonce, sizeBytes: Int(size))
  }

  private static func texts(_ picture: BlobPath) -> [String] {
    [picture.kind.rawValue, picture.sha256, picture.format.rawValue]
  }

  /// Returns a table of the pictures or objects in a command's second value.
  private static func asked(_ dialect: Dialect) -> String {
    dialect.rows(
      "$2",
      [
        ("kind", "text"), ("sha256", "text"), ("format", "text"), ("nonce", "text"),
        ("size", "bigint"),
      ])
  }

  private static func rows(_ objects: [StoredObject]) -> FieldValue {
    .list(objects.map { texts($0.place) + [$0.nonce, String($0.sizeBytes)] })
  }

  /// Locks the writers of objects. Returns `false` if one of them is retired or isn't on record.
  private func lockingWriters(
    of objects: [StoredObject], _ dialect: Dialect
  ) -> Query<Bool> {
    let writers = Set(objects.map { StoredObject.writer(of: $0.nonce) ?? "" })
    return Query(
      """
      SELECT NOT is_retired FROM object_writer
      WHERE place = $1 AND id \(dialect.among("$2")) ORDER BY id\(dialect.forShare)
      """, [place, .list(writers.sorted())]
    ) { $0.rows.count == writers.count && $0.rows.allSatisfy { $0.isTrue(0) } }
  }

  /// Locks the objects of these pictures against changes by other transactions. Later queries see committed data.
  private func locking(_ pictures: [BlobPath], _ dialect: Dialect) -> Query<Void> {
    Query(asking: dialect.locking(.objects(of: pictures, at: place)))
  }

  /// Locks a picture and returns its object.
  private func selectLocked(_ picture: BlobPath, _ t: Transaction) throws -> StoredObject? {
    try t.fetch(locking([picture], t.dialect), named([picture], t.dialect)).1.first
  }

  /// Returns the objects of these pictures.
  private func named(
    _ pictures: [BlobPath], _ dialect: Dialect
  ) -> Query<[StoredObject]> {
    Query(
      """
      SELECT \(Self.columns) FROM object WHERE place = $1 AND state = 'named'
        AND (kind, sha256, format) IN (SELECT kind, sha256, format FROM \(Self.asked(dialect)) AS asked)
      """, [place, .list(pictures.map(Self.texts))]
    ) { $0.rows.compactMap(Self.object) }
  }

  /// Dooms the previous objects of the pictures of these objects.
  private func doomingOthers(
    _ objects: [StoredObject], _ dialect: Dialect
  ) -> Query<Void> {
    let asked = Self.asked(dialect)
    return Query(
      """
      UPDATE object SET state = 'doomed' WHERE place = $1 AND state = 'named'
        AND (kind, sha256, format) IN (SELECT kind, sha256, format FROM \(asked) AS asked)
        AND nonce NOT IN (SELECT nonce FROM \(asked) AS asked)
      """, [place, Self.rows(objects)])
  }

  /// Inserts objects. Returns the number that didn't exist yet.
  private func inserting(
    _ objects: [StoredObject], _ state: String, _ dialect: Dialect
  ) -> Query<Int> {
    Query(
      """
      INSERT INTO object (place, kind, sha256, format, nonce, size, state)
      SELECT $1, kind, sha256, format, nonce, size, $3 FROM \(Self.asked(dialect)) AS asked
      WHERE true ON CONFLICT DO NOTHING
      """, [place, Self.rows(objects), .text(state)]
    ) { $0.touched }
  }
}

/// One object of a picture.
package struct StoredObject: Sendable, Hashable {
  package let place: BlobPath
  /// The ID of its writer, a hyphen, and the writer's counter in hexadecimal digits.
  package let nonce: String
  package let sizeBytes: Int

  package init(place: BlobPath, nonce: String, sizeBytes: Int) {
    self.place = place
    self.nonce = nonce
    self.sizeBytes = sizeBytes
  }

  /// Returns the writer in a nonce; `nil` if the text isn't a nonce.
  package static func writer(of nonce: String) -> String? {
    let parts = nonce.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 32, !parts[1].isEmpty,
      parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) } })
    else { return nil }
    return String(parts[0])
  }
}
