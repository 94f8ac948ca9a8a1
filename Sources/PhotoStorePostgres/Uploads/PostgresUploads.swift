package import Foundation
package import PhotoAttachments
import Synchronization

/// Uploads in the database with the photos' records, so that another server can finish an upload.
///
/// Bytes are stored in pieces of bounded size. Each transaction writes a piece and the offset after it, so responses
/// only report committed bytes. Every request that takes over an upload raises its attempt number, and every piece
/// checks that number. A newer request therefore stops an older one on any server. Only a limited number of unfinished
/// uploads can be open at a time. Each of these has a *place* (`UploadPlaces`).
package final class PostgresUploads: UploadStorage {
  let database: PostgresDatabase
  /// The folder in which a complete upload becomes a file.
  let folder: CacheFolder
  private let heartbeat: Heartbeat
  /// The uploads that this process is turning into photos, in all databases, with their attempt numbers. It is static
  /// because the holder in the record is the process.
  private static let held = Mutex<[String: Int64]>([:])

  /// Creates the storage of uploads next to the records of a catalog.
  ///
  /// - Parameter folder: the cache folder of this machine, for the file from which a photo is made.
  package init(_ catalog: PostgresCatalog, folder: CacheFolder) {
    // Uploads have a lock of their own, so that a sweep that holds the catalog's lock exclusively doesn't block them.
    database = PostgresDatabase(
      catalog.server.pool, catalog.server.dialect, commonLock: .uploads)
    self.folder = folder
    heartbeat = Heartbeat(
      database, id: catalog.id, isNeeded: { Self.held.withLock { !$0.isEmpty } },
      logger: catalog.logger)
  }

  // MARK: - Places

  package func changePlaces(
    inserting record: UploadRecord?, of token: String,
    _ change: (inout UploadPlaces) throws -> [String]
  ) throws {
    try transaction { t in
      // Serializes these transactions, so that two uploads can't take the last place. No upload's row is locked before
      // this lock.
      try t.rows("SELECT pg_advisory_xact_lock(1346720848, 5)")
      var places = try places(t)
      let surplus = try change(&places)
      if let displaced = places.displaced {
        // An upload that is receiving bytes at this moment is skipped and keeps its place.
        try t.execute(
          """
          UPDATE upload SET touched_at = 0 WHERE token IN (
            SELECT token FROM upload WHERE token = $1 FOR UPDATE SKIP LOCKED)
          """, [.text(displaced)])
      }
      if let record {
        try insert(record, token, t)
      } else if let touched = places.all[token]?.touched {
        try t.execute(
          "UPDATE upload SET touched_at = $2 WHERE token = $1",
          [.text(token), .int(touched.milliseconds)])
      }
      try delete(surplus, t)
    }
  }

  private func places(_ t: Transaction) throws -> UploadPlaces {
    var places = UploadPlaces()
    let rows = try t.rows(
      """
      SELECT token, client, length, created_at, touched_at FROM upload WHERE finished_at IS NULL
      """)
    for row in rows {
      guard let token = row.text(0), let client = row.text(1), let length = row.number(2),
        let created = row.number(3), let touched = row.number(4)
      else { continue }
      places.all[token] = UploadPlaces.Place(
        client: client, length: Int(length), created: Date(milliseconds: created),
        touched: Date(milliseconds: touched))
    }
    return places
  }

  private func insert(_ record: UploadRecord, _ token: String, _ t: Transaction) throws {
    try t.execute(
      """
      INSERT INTO upload
        (token, owner, client, length, file_name, created_at, touched_at, has_length)
      VALUES ($1, $2, $3, $4, $5, $6, $6, $7::bigint <> 0)
      """,
      [
        .text(token), .text(record.owner), .text(record.client), .int(Int64(record.length)),
        record.fileName.map { .data(Data($0.utf8)) } ?? .null, .int(record.created.milliseconds),
        FieldValue(record.hasLength),
      ])
  }

  // MARK: - Leases

  package func settle(
    _ token: String, _ check: (inout UploadRecord) throws -> Void
  ) throws -> UploadRecord {
    try transaction { t in
      var row = try checkedRow(token, check, t)
      // If all bytes have arrived and a process is making the photo, that process continues.
      if row.record.outcome == nil, !isHeld(row) { try cutOlderRequest(&row, t) }
      return row.record
    }
  }

  package func acquireLease(
    _ token: String, _ check: (inout UploadRecord) throws -> Void
  ) throws -> (record: UploadRecord, lease: (any UploadLease)?) {
    let row = try transaction { t in
      var row = try checkedRow(token, check, t)
      guard row.record.outcome == nil else { return row }
      guard !isHeld(row) else { throw UploadError.inUse }
      try cutOlderRequest(&row, t)
      return row
    }
    guard row.record.outcome == nil else { return (row.record, nil) }
    return (row.record, PostgresUploadLease(row, of: self))
  }

  /// Returns the upload's row after a check, locked until the transaction ends.
  private func checkedRow(
    _ token: String, _ check: (inout UploadRecord) throws -> Void, _ t: Transaction
  ) throws -> UploadRow {
    guard var row = try UploadRow.selectLocked(token, t) else { throw UploadError.notFound }
    try check(&row.record)
    return row
  }

  /// Raises the attempt number, so that an older request that is still adding bytes fails and stops.
  private func cutOlderRequest(_ row: inout UploadRow, _ t: Transaction) throws {
    row.attempt += 1
    try t.execute(
      "UPDATE upload SET attempt = $2, worker = NULL, touched_at = $3 WHERE token = $1",
      [.text(row.token), .int(row.attempt), .int(row.record.touched.milliseconds)])
  }

  /// Returns `true` if a live process is making the photo.
  private func isHeld(_ row: UploadRow) -> Bool {
    guard row.worker == Heartbeat.worker else { return row.isHolderSeen }
    return Self.held.withLock { $0[row.token] == row.attempt }
  }

  /// Marks a complete upload as held by this process, until it is released or the process ends.
  ///
  /// - Throws: `.cut` if a newer request has taken over.
  func hold(_ lease: PostgresUploadLease) throws {
    Self.held.withLock { $0[lease.token] = lease.attempt }
    do {
      try heartbeat.start()
      try lease.change("worker = $3", [.text(Heartbeat.worker)])
    } catch {
      forgetHolding(lease)
      throw error
    }
  }

  /// Ends `hold`. If the database can't be reached, this process remembers the release and `inventory` writes it later.
  func release(_ lease: PostgresUploadLease) {
    forgetHolding(lease)
    try? lease.change("worker = NULL", [])
  }

  /// Removes an upload from the list of held ones.
  func forgetHolding(_ lease: PostgresUploadLease) {
    Self.held.withLock { if $0[lease.token] == lease.attempt { $0[lease.token] = nil } }
  }

  // MARK: - Deleting

  package func delete(_ token: String) throws -> Bool {
    try transaction { t in try delete([token], t) == 1 }
  }

  /// Deletes uploads that aren't in use. Rows that another server is changing are skipped.
  @discardableResult
  private func delete(_ tokens: [String], _ t: Transaction) throws -> Int {
    guard !tokens.isEmpty else { return 0 }
    return try t.execute(
      """
      DELETE FROM upload WHERE token IN (
        SELECT token FROM upload WHERE token = ANY($1::text[]) AND NOT (\(UploadRow.isHeld))
        FOR UPDATE SKIP LOCKED)
      """, [.array(tokens)])
  }

  package func deleteBytes(_ token: String) throws -> Bool {
    try transaction { t in
      let count = try t.execute(
        """
        UPDATE upload SET attempt = attempt + 1, reached = 0, worker = NULL WHERE token IN (
          SELECT token FROM upload WHERE token = $1 AND finished_at IS NULL AND reached > 0
            AND NOT (\(UploadRow.isHeld))
          FOR UPDATE SKIP LOCKED)
        """, [.text(token)])
      if count == 1 { try t.execute("DELETE FROM upload_piece WHERE upload = $1", [.text(token)]) }
      return count == 1
    }
  }

  package func byteCount() throws -> Int {
    let sum = try database.rows(
      "SELECT coalesce(sum(reached), 0)::bigint FROM upload WHERE finished_at IS NULL")
    return Int(sum.first?.number(0) ?? 0)
  }

  package func inventory(at _: Date, strayAge _: TimeInterval) throws -> UploadInventory {
    try transaction { t in
      try releaseUnwritten(t)
      var found = UploadInventory()
      for row in try UploadRow.all("", [], t) { found.records[row.token] = row.record }
      return found
    }
  }

  /// Clears the holder of uploads whose release could not be written.
  private func releaseUnwritten(_ t: Transaction) throws {
    for row in try UploadRow.all("WHERE worker = $1", [.text(Heartbeat.worker)], t)
    where !isHeld(row) {
      try t.execute(
        "UPDATE upload SET worker = NULL WHERE token = $1 AND attempt = $2",
        [.text(row.token), .int(row.attempt)])
    }
  }

  /// Runs one transaction. An `UploadError` rolls it back.
  private func transaction<T>(_ work: (Transaction) throws -> T) throws -> T {
    let result = try database.write { t -> Result<T, UploadError> in
      do { return .success(try work(t)) } catch let refusal as UploadError {
        t.rollsBack = true
        return .failure(refusal)
      }
    }
    return try result.get()
  }
}
