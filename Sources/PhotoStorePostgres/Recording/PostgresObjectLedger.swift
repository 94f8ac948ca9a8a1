import Foundation
package import PhotoAttachments
import Synchronization
import Records

/// The ledger of objects beside the records of a database, for all who use both. It has connections of
/// its own: its acts are on the server's disk before a request is sent, whatever becomes of the
/// catalog's act that they are made in.
///
/// Who changes what stands for a picture holds that picture's lock to the end of the act; who names holds
/// the writers before it, so that one who is being retired has named already or names no more.
package final class PostgresObjectLedger: ObjectLedger {
  /// How many connections there are at the same time, at most.
  static let connections = 4

  let database: PostgresDatabase
  let place: FieldValue
  private let heart: Heart
  private let current = Mutex<String?>(nil)

  /// The ledger beside the records of a catalog.
  ///
  /// - Parameter place: where the objects lie. Records are of one place.
  /// - Throws: `StoreError.otherBlobs(at:)` when objects of another one are known.
  package init(_ catalog: PostgresCatalog, of place: String) throws(StoreError) {
    let pool = catalog.server.pool
    // Not the catalog's common lock: a catalog's act may hold that alone while it waits for us.
    database = PostgresDatabase(
      PostgresPool(pool.address, patience: pool.patience, most: Self.connections),
      catalog.server.dialect, commonLock: .objects)
    self.place = .text(place)
    heart = Heart(database, id: catalog.id, isNeeded: { true }, logger: catalog.logger)
    let other = try database.rows(
      "SELECT place FROM object WHERE place <> $1 LIMIT 1", [self.place])
    if let other = other.first?.text(0) {
      throw .otherBlobs(at: other)
    }
  }

  package func writer() throws(StoreError) -> String {
    if let writer = current.withLock({ $0 }) { return writer }
    try heart.start()
    let id = randomName()
    _ = try database.write { t in
      try t.run(
        "INSERT INTO object_writer (id, place, worker) VALUES ($1, $2, $3)",
        [.text(id), place, .text(Heart.worker)])
    }
    // Somebody may have been faster; one more writer does no harm.
    return current.withLock { current in
      current = current ?? id
      return current ?? id
    }
  }

  package func name(_ objects: [StoredObject]) throws(StoreError) -> [StoredObject]? {
    if objects.isEmpty { return [] }
    let places = objects.map(\.place)
    let doomed = try database.write { t -> [StoredObject]? in
      let (areAlive, _, before, _, inserted) = try t.ask(
        holdingWriters(of: objects), holding(places), named(places), doomingOthers(objects),
        inserting(objects, "named"))
      guard areAlive else {
        t.isUndone = true
        return nil
      }
      // Once more is the same. One that was doomed or put aside is never named again.
      let again = Set(before).intersection(objects)
      guard inserted == objects.count - again.count else {
        throw StoreError.fault(what: "object-named-again")
      }
      return before.filter { !again.contains($0) }
    }
    if doomed == nil { current.withLock { $0 = nil } }
    return doomed
  }

  package func abandon(_ object: StoredObject) throws(StoreError) -> Bool {
    try database.write { t in
      let (_, named) = try t.ask(holding([object.place]), named([object.place]))
      if named.first == object { return false }
      _ = try t.ask(inserting([object], "doomed"))
      return try t.rows(
        "SELECT state = 'doomed' FROM object WHERE place = $1 AND nonce = $2",
        [place, .text(object.nonce)]
      ).first?.isTrue(0) ?? false
    }
  }

  package func doom(_ picture: BlobPath) throws(StoreError) -> StoredObject? {
    try database.write { t in
      guard let object = try t.ask(holding([picture]), named([picture])).1.first else { return nil }
      try t.run(
        "UPDATE object SET state = 'doomed' WHERE place = $1 AND nonce = $2",
        [place, .text(object.nonce)])
      return object
    }
  }

  package func putAside(_ object: StoredObject, as name: String) throws(StoreError) -> Bool {
    try database.write { t in
      let (_, named) = try t.ask(holding([object.place]), named([object.place]))
      guard named.first == object else { return false }
      try t.run(
        "UPDATE object SET state = 'aside', name = $3 WHERE place = $1 AND nonce = $2",
        [place, .text(object.nonce), .text(name)])
      return true
    }
  }

  package func forget(_ doomed: [StoredObject]) throws(StoreError) {
    if doomed.isEmpty { return }
    _ = try database.write { t in
      try t.run(
        "DELETE FROM object WHERE place = $1 AND nonce = ANY($2) AND state = 'doomed'",
        [place, .array(doomed.map(\.nonce).sorted())])
    }
  }

  /// A writer is gone when its process has told nothing for `Heart.life` by the server's clock. One that
  /// was only slow finds that out when it names.
  package func retireDead(dryRun: Bool) throws(StoreError) -> Set<String> {
    try database.write(dryRun: dryRun) { t in
      let dead = try t.rows(
        """
        SELECT id FROM object_writer AS writer
        WHERE place = $1 AND NOT is_retired AND worker <> $2 AND NOT EXISTS (
          SELECT 1 FROM worker WHERE worker.id = writer.worker
            AND seen_at > clock_timestamp() - interval '\(Heart.life) seconds')
        ORDER BY id FOR UPDATE OF writer
        """, [place, .text(Heart.worker)]
      ).compactMap { $0.text(0) }
      try t.run("UPDATE object_writer SET is_retired = true WHERE id = ANY($1)", [.array(dead)])
      return Set(
        try t.rows("SELECT id FROM object_writer WHERE place = $1 AND is_retired", [place])
          .compactMap { $0.text(0) })
    }
  }

  // MARK: - Inside of an act

  /// Holds the writers of objects; false when one of them is retired or was never known.
  private func holdingWriters(of objects: [StoredObject]) -> Question<Bool> {
    let writers = Set(objects.map { StoredObject.writer(of: $0.nonce) ?? "" })
    return Question(
      """
      SELECT NOT is_retired FROM object_writer WHERE place = $1 AND id = ANY($2)
      ORDER BY id FOR SHARE
      """, [place, .array(writers.sorted())]
    ) { $0.rows.count == writers.count && $0.rows.allSatisfy { $0.isTrue(0) } }
  }

  /// Lets nobody else change what stands for these pictures. In one order, so that two never wait for
  /// each other; what is asked afterwards was committed.
  private func holding(_ pictures: [BlobPath]) -> Question<Void> {
    Question(
      """
      SELECT pg_advisory_xact_lock(number) FROM (
        SELECT DISTINCT hashtextextended($1::text || picture, 0) AS number
        FROM unnest($2::text[]) AS picture ORDER BY number OFFSET 0) AS numbers
      """, [place, .array(pictures.map(\.relativePath))])
  }

  /// What stands for these pictures.
  private func named(_ pictures: [BlobPath]) -> Question<[StoredObject]> {
    Question(
      """
      SELECT \(ObjectLines.columns) FROM object
      WHERE place = $1 AND state = 'named' AND (kind, sha256, format) IN (
        SELECT * FROM unnest($2::text[], $3::text[], $4::text[]))
      """, [place] + ObjectLines.lists(pictures)
    ) { $0.rows.compactMap(ObjectLines.object) }
  }

  /// Dooms what else stands for the pictures of objects.
  private func doomingOthers(_ objects: [StoredObject]) -> Question<Void> {
    Question(
      """
      UPDATE object SET state = 'doomed'
      WHERE place = $1 AND state = 'named' AND nonce <> ALL($5) AND (kind, sha256, format) IN (
        SELECT * FROM unnest($2::text[], $3::text[], $4::text[]))
      """,
      [place] + ObjectLines.lists(objects.map(\.place)) + [.array(objects.map(\.nonce))])
  }

  /// Writes objects down; answers how many were not there.
  private func inserting(_ objects: [StoredObject], _ state: String) -> Question<Int> {
    Question(
      """
      INSERT INTO object (place, kind, sha256, format, nonce, size, state)
      SELECT $1, kind, sha256, format, nonce, size, $7
      FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[])
        AS new (kind, sha256, format, nonce, size)
      ON CONFLICT (place, nonce) DO NOTHING
      """,
      [place] + ObjectLines.lists(objects.map(\.place)) + [
        .array(objects.map(\.nonce)), .array(objects.map { Int64($0.sizeBytes) }), .text(state),
      ]
    ) { $0.touched }
  }
}
