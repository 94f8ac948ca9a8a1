import Announcements
import Foundation
import GRDB
import PhotoAttachments
import ReportFlow
import Records

extension SQLiteAnnouncements {
  /// The announcement of the request's key; nil when there is none. One of an older program has no
  /// fingerprint, and whatever it says is taken for the same.
  static func find(
    _ request: CreateRequest, in db: Database
  ) throws -> Result<KeptAnnouncement, AnnouncementError>? {
    guard
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT id, password_hash, fingerprint FROM announcement WHERE idempotency_key = ?
          """, arguments: [request.key.uuidString])
    else {
      let mark = ErasureMark.submission(request.key.uuidString)
      return try isMarked(mark, db) ? .failure(.keyTaken) : nil
    }
    let fingerprint: String? = row["fingerprint"]
    guard fingerprint == nil || fingerprint == request.fingerprint else {
      return .failure(.idempotencyMismatch)
    }
    guard try mayRepeat(request, in: db) else { return .failure(.keyTaken) }
    return .success(KeptAnnouncement(id: row["id"], hash: row["password_hash"]))
  }

  static func isMarked(_ mark: String, _ db: Database) throws -> Bool {
    let t = Transaction(SQLiteWire(db), SQLiteDialect())
    return try !t.ask(Erasures.among([mark], t.dialect)).isEmpty
  }

  private static func mayRepeat(_ request: CreateRequest, in db: Database) throws -> Bool {
    guard let client = request.client else { return true }
    let first = try Row.fetchOne(
      db,
      sql: """
        SELECT network, browser FROM creating_client WHERE idempotency_key = ? AND created_at >= ?
        """, arguments: [request.key.uuidString, request.repeatableSince.milliseconds])
    return first.map { client.isSame(network: $0["network"], browser: $0["browser"]) } ?? false
  }

  /// Notes who may repeat it, and forgets those who may no more.
  private static func note(_ request: CreateRequest, at now: Int64, in db: Database) throws {
    try db.execute(
      sql: "DELETE FROM creating_client WHERE created_at < ?",
      arguments: [request.repeatableSince.milliseconds])
    guard let client = request.client else { return }
    try db.execute(
      sql: """
        INSERT INTO creating_client (idempotency_key, network, browser, created_at)
        VALUES (?, ?, ?, ?)
        """, arguments: [request.key.uuidString, client.network, client.browser, now])
  }

  /// Writes the report, or finds the announcement of its key.
  static func findOrMake(
    _ request: CreateRequest, _ hash: String, at now: Int64, in db: Database
  ) throws -> Result<KeptAnnouncement, AnnouncementError> {
    if let found = try find(request, in: db) { return found }
    let report = request.report
    let id = UUID().uuidString.lowercased()
    if let refusal = try refusal(
      ofChip: report.microchipNumber, butNot: id, client: request.countedClient, at: now, in: db)
    {
      return .failure(refusal)
    }
    let row: [(key: String, value: FieldValue)] =
      Array(report.columns) + [
        ("id", .text(id)), ("idempotency_key", .text(request.key.uuidString)),
        ("fingerprint", .text(request.fingerprint)),
        ("status", .text(AnnouncementStatus.lost.rawValue)), ("created_at", .int(now)),
        ("updated_at", .int(now)), ("password_hash", .text(hash)),
      ]
    let marks = repeatElement("?", count: row.count).joined(separator: ", ")
    try db.execute(
      sql: """
        INSERT INTO announcement (\(row.map(\.key).joined(separator: ", "))) VALUES (\(marks))
        """,
      arguments: StatementArguments(row.map(\.value.databaseValue)))
    try note(request, at: now, in: db)
    return .success(KeptAnnouncement(id: id, hash: hash))
  }

  /// Photo and reference in one transaction: from here on the photo cannot be deleted. The password
  /// is held against the row once more, and the chip, since this is what puts it on the lists.
  ///
  /// - Returns: the photo it had before, if it was another one.
  static func attach(
    _ photo: AnnouncementPhoto, to id: String, _ hash: String, at now: Date,
    _ catalog: SQLiteCatalog, in db: Database
  ) throws -> Result<UUID?, AnnouncementError> {
    guard
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT photo_id, microchip_number, closed_at, hidden_reason FROM announcement
          WHERE id = ? AND password_hash = ?
          """, arguments: [id, hash])
    else { return .failure(.notFound(id: id)) }
    if let reason: String = row["hidden_reason"] {
      return .failure(.takenDown(id: id, reason: reason))
    }
    let before: String? = row["photo_id"]
    if before == photo.id.uuidString { return .success(nil) }
    if (row["closed_at"] as Int64?) == nil,
      try isListed(chip: row["microchip_number"], butNot: id, in: db)
    {
      return .failure(.duplicateMicrochip)
    }
    try db.execute(
      sql: """
        UPDATE announcement SET photo_id = ?1, photo_sha256 = ?2, updated_at = ?3
        WHERE id = ?4 AND EXISTS (SELECT 1 FROM photo WHERE id = ?1 AND blobSHA256 = ?2)
        """, arguments: [photo.id.uuidString, photo.sha256, now.milliseconds, id])
    guard db.changesCount > 0 else { return .failure(.missingPhoto) }
    if let holder = photo.holder {
      // Its picture stays, since the announcement shows it now.
      _ = try catalog.run(
        { try catalog.end(draft: holder, by: .forget(photo.id), at: now, $0) }, db)
    }
    return .success(before.flatMap(UUID.init(uuidString:)))
  }

  /// Changes what an open announcement says.
  static func change(
    _ id: String, _ hash: String, _ client: String?, at now: Int64, in db: Database,
    _ edit: (inout NewAnnouncement) -> AnnouncementError?
  ) throws -> Result<Void, AnnouncementError> {
    guard
      let row = try Row.fetchOne(
        db, sql: "SELECT * FROM announcement WHERE id = ? AND password_hash = ?",
        arguments: [id, hash]),
      let before = NewAnnouncement(stored: { FieldValue(row[$0] as DatabaseValue) })
    else { return .failure(.notFound(id: id)) }
    if let reason: String = row["hidden_reason"] {
      return .failure(.takenDown(id: id, reason: reason))
    }
    if (row["closed_at"] as Int64?) != nil { return .failure(.closed(id: id)) }
    var report = before
    if let refusal = edit(&report) { return .failure(refusal) }
    if report == before { return .success(()) }
    if report.microchipNumber != before.microchipNumber,
      let refusal = try refusal(
        ofChip: report.microchipNumber, butNot: id, client: client, at: now, in: db)
    {
      return .failure(refusal)
    }
    let columns = report.columns
    try db.execute(
      sql: """
        UPDATE announcement SET \(columns.map { "\($0.key) = ?" }.joined(separator: ", ")),
          updated_at = ?
        WHERE id = ?
        """,
      arguments: StatementArguments(columns.map(\.value.databaseValue)) + [now, id])
    return .success(())
  }

  /// Takes an announcement down, or leaves it as its owner did.
  static func hide(
    _ id: String, _ reason: String?, at now: Int64, in db: Database
  ) throws -> Result<Void, AnnouncementError> {
    guard id.isWhole,
      let row = try Row.fetchOne(
        db,
        sql: """
          SELECT microchip_number, hidden_reason, owner_closed_at FROM announcement WHERE id = ?
          """, arguments: [id])
    else { return .failure(.notFound(id: id)) }
    if let reason {
      try db.execute(
        sql: """
          UPDATE announcement SET closed_at = coalesce(closed_at, ?1), updated_at = ?1,
            owner_closed_at = CASE WHEN hidden_reason IS NULL THEN closed_at ELSE owner_closed_at END,
            hidden_reason = ?2
          WHERE id = ?3
          """, arguments: [now, reason, id])
    } else if (row["hidden_reason"] as String?) != nil {
      if (row["owner_closed_at"] as Int64?) == nil,
        try isListed(chip: row["microchip_number"], butNot: id, in: db)
      {
        return .failure(.duplicateMicrochip)
      }
      try db.execute(
        sql: """
          UPDATE announcement SET closed_at = owner_closed_at, updated_at = ?1,
            owner_closed_at = NULL, hidden_reason = NULL
          WHERE id = ?2
          """, arguments: [now, id])
    }
    return .success(())
  }

  static func isListed(
    chip: String?, butNot id: String, in db: Database
  ) throws -> Bool {
    try Bool.fetchOne(
      db,
      sql: """
        SELECT EXISTS (
          SELECT 1 FROM announcement WHERE closed_at IS NULL AND photo_id IS NOT NULL
            AND microchip_number IS NOT NULL AND microchip_number = ? AND id <> ?)
        """, arguments: [chip, id]) ?? false
  }

  /// Deletes the announcements of a condition with the drafts they were made of and their photos, and
  /// leaves their marks (decision 44).
  ///
  /// - Returns: pictures to be given up.
  static func erase(
    _ condition: String, _ arguments: StatementArguments, _ catalog: SQLiteCatalog, in db: Database
  ) throws -> [BlobPath] {
    var gone: [BlobPath] = []
    let rows = try Row.fetchAll(
      db, sql: "SELECT id, idempotency_key, photo_id FROM announcement WHERE \(condition)",
      arguments: arguments)
    for row in rows {
      let (id, key): (String, String) = (row[0], row[1])
      try db.execute(sql: "DELETE FROM announcement WHERE id = ?", arguments: [id])
      let marks = [ErasureMark.announcement(id), ErasureMark.submission(key)]
      _ = try catalog.run({ try Erasures.insert(marks, $0) }, db)
      gone += try SQLiteDrafts.erase(
        """
        \(SQLiteDrafts.mark("$.submission.announcementID")) = ?
          AND \(SQLiteDrafts.mark("$.submission.isComplete")) IS TRUE
        """, [id], catalog, in: db)
      if let photo: String = row[2] {
        gone += try catalog.run({ try catalog.erase(photo: photo, $0) }, db).value
      }
    }
    return gone
  }
}
