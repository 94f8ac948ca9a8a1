import Announcements
import Foundation
package import PhotoAttachments

/// The steps of creating and deleting announcements, each in the caller's transaction.
extension AnnouncementStore {
  /// Returns the announcement with the request's key, or `nil` if there isn't one.
  static func find(
    _ request: CreateRequest, _ t: Transaction
  ) throws -> CreateResult? {
    let row = try t.rows(
      "SELECT id, password_hash, fingerprint FROM announcement WHERE idempotency_key = $1",
      [.text(request.key.uuidString)]
    ).first
    guard let row, let id = row.text(0), let hash = row.text(1) else {
      let mark = ErasureMark.submission(request.key.uuidString)
      if try t.fetch(Erasures.among([mark], t.dialect)).isEmpty { return nil }
      throw AnnouncementError.keyTaken
    }
    guard row.text(2) == request.fingerprint else { throw AnnouncementError.idempotencyMismatch }
    guard try mayRepeat(request, t) else { throw AnnouncementError.keyTaken }
    return CreateResult(id: id, hash: hash)
  }

  private static func mayRepeat(_ request: CreateRequest, _ t: Transaction) throws -> Bool {
    guard let client = request.client else { return true }
    let first = try t.rows(
      """
      SELECT network, browser FROM creating_client
      WHERE idempotency_key = $1 AND created_at >= $2
      """, [.text(request.key.uuidString), .int(request.repeatableSince.milliseconds)]
    ).first
    guard let network = first?.text(0) else { return false }
    return client.isSame(network: network, browser: first?.text(1))
  }

  /// Records the client that may repeat the request, and deletes records that are too old.
  private static func recordRequest(
    _ request: CreateRequest, at now: Int64, _ t: Transaction
  ) throws {
    try t.execute(
      "DELETE FROM creating_client WHERE created_at < $1",
      [.int(request.repeatableSince.milliseconds)])
    guard let client = request.client else { return }
    try t.execute(
      """
      INSERT INTO creating_client (idempotency_key, network, browser, created_at)
      VALUES ($1, $2, $3, $4)
      """,
      [
        .text(request.key.uuidString), .text(client.network), FieldValue(client.browser), .int(now),
      ])
  }

  /// Inserts the report, or returns the announcement that already has its key. A concurrent request with the same key
  /// waits for the row, and one with the same chip waits for the chip's lock.
  static func findOrMake(
    _ request: CreateRequest, _ hash: String, at now: Int64, _ t: Transaction
  ) throws -> CreateResult {
    let report = request.report
    try t.lock(chip: report.microchipNumber)
    if let found = try find(request, t) { return found }
    let id = request.id
    try checkChip(
      report.microchipNumber, butNot: id, client: request.countedClient, at: now, t)
    let row: [(key: String, value: FieldValue)] =
      Array(report.columns) + [
        ("id", .text(id)), ("idempotency_key", .text(request.key.uuidString)),
        ("short_code", .text(try freeShortCode(t))),
        ("language", FieldValue(request.language?.rawValue)),
        ("fingerprint", .text(request.fingerprint)),
        ("status", .text(AnnouncementStatus.lost.rawValue)), ("created_at", .int(now)),
        ("updated_at", .int(now)), ("password_hash", .text(hash)),
      ]
    let marks = row.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    let inserted = try t.execute(
      """
      INSERT INTO announcement (\(row.map(\.key).joined(separator: ", "))) VALUES (\(marks))
      ON CONFLICT (idempotency_key) DO NOTHING
      """, row.map(\.value))
    if inserted > 0 {
      try AnnouncementWords.write(of: id, report.searchText, report.species, t)
      try recordRequest(request, at: now, t)
      if let letter = request.letter {
        let counts = MailQueue.Count.publishing(to: letter.to, for: request.countedClient)
        try MailQueue.add(letter, about: id, counts, at: now, t)
      }
      return CreateResult(id: id, hash: hash)
    }
    guard let found = try find(request, t) else { throw AnnouncementError.notFound(id: id) }
    return found
  }

  /// Rewrites the words of announcements that an earlier version indexed, a hundred at a time.
  package func updateWords() async throws {
    var isDone = false
    while !isDone {
      // A server that stops leaves the rest to its next start.
      try Task.checkCancellation()
      isDone = try await database.writing { t in
        let due = try t.rows(
          "SELECT announcement FROM word_update ORDER BY announcement LIMIT 100\(t.dialect.forUpdate)"
        ).compactMap { $0.number(0) }
        if due.isEmpty { return true }
        let numbers = due.map(String.init).joined(separator: ", ")
        // Owners that edit an announcement wait for the lock.
        let rows = try t.rows(
          """
          SELECT \(AnnouncementRows.names.joined(separator: ", ")) FROM announcement
          WHERE number IN (\(numbers)) AND search <> ''\(t.dialect.forUpdate)
          """, isRepeated: false)
        for row in rows {
          func field(_ name: String) -> FieldValue {
            AnnouncementRows.names.firstIndex(of: name).map { row[$0] } ?? .null
          }
          guard let id = field("id").text, let report = NewAnnouncement(stored: field) else {
            continue
          }
          try t.execute(
            "UPDATE announcement SET search = $1 WHERE id = $2",
            [.text(report.searchText), .text(id)])
          try AnnouncementWords.write(of: id, report.searchText, report.species, t)
        }
        try t.execute(
          "DELETE FROM word_update WHERE announcement IN (\(numbers))", isRepeated: false)
        return false
      }
    }
  }

  /// Returns a short code that no announcement has or had. Another process may use it first, but the chance is one in
  /// many millions. The database then rejects the row.
  package static func freeShortCode(_ t: Transaction) throws -> String {
    while true {
      let code = ManagementPassword.shortCode()
      let taken = try t.rows(
        "SELECT 1 FROM announcement WHERE short_code = $1", [.text(code)])
      let marks = try t.fetch(Erasures.among([ErasureMark.shortCode(code)], t.dialect))
      if taken.isEmpty && marks.isEmpty { return code }
    }
  }

  /// Locks an announcement's chip until the transaction ends.
  ///
  /// - Throws: `duplicateMicrochip` if another listed announcement has it.
  static func lockFree(chip: String?, of id: String, _ t: Transaction) throws {
    try t.lock(chip: chip)
    if try isListed(chip: chip, butNot: id, t) { throw AnnouncementError.duplicateMicrochip }
  }

  /// Returns the id of the listed announcement with this chip. Chip numbers are secret, so callers must have charged the
  /// client for a refused chip before.
  package func id(ofListedChip chip: String?) async throws -> String? {
    guard let chip, chip.isStorable else { return nil }
    return try await reading { t in
      try t.rows(
        """
        SELECT id FROM announcement
        WHERE closed_at IS NULL AND photo_id IS NOT NULL AND microchip_number = $1
        """, [.text(chip)]
      ).first?.text(0)
    }
  }

  /// SQL that is true if an announcement was ever listed. It then has a photo, or was closed so long ago that its photo
  /// and contact were deleted.
  static let wasListed = "(photo_id IS NOT NULL OR contact_name = '')"

  static func isListed(
    chip: String?, butNot id: String, _ t: Transaction
  ) throws -> Bool {
    guard let chip else { return false }
    return try t.rows(
      """
      SELECT EXISTS (SELECT 1 FROM announcement WHERE closed_at IS NULL
        AND photo_id IS NOT NULL AND microchip_number = $1 AND id <> $2)
      """, [.text(chip), .text(id)])[0].isTrue(0)
  }

  /// Deletes the announcements that match a condition, and records their erasure marks (decision 44). Also deletes the
  /// drafts that they were created from, which contain the same contact data, and their photos unless other
  /// announcements show them.
  ///
  /// - Returns: the pictures to release.
  package static func erase(
    _ condition: String, _ values: [FieldValue], _ catalog: Catalog,
    _ t: Transaction
  ) throws -> [BlobPath] {
    try t.lock(.erasures)
    var gone: [BlobPath] = []
    let rows = try t.rows(
      """
      DELETE FROM announcement WHERE \(condition)
      RETURNING id, idempotency_key, photo_id, CASE WHEN \(wasListed) THEN short_code END
      """, values)
    for row in rows {
      guard let id = row.text(0), let key = row.text(1) else { continue }
      let marks = [
        ErasureMark.announcement(id), ErasureMark.submission(key),
        row.text(3).map(ErasureMark.shortCode),
      ]
      try Erasures.insert(Set(marks.compactMap { $0 }), t)
      try deleteUploads(of: id, t)
      gone += try RecordedDrafts.erase(
        "announcement_id = $1 AND is_submitted", [.text(id)], catalog, t)
      if let photo = row.text(2) { gone += try catalog.erase(photo: photo, t) }
    }
    return gone
  }
}

extension Transaction {
  /// Keeps other transactions from announcing this chip until this one ends.
  func lock(chip: String?) throws { if let chip { try lock(.chip(chip)) } }
}
