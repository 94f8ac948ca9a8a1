public import Announcements
package import Foundation
import PhotoAttachments

/// The reason that an owner gives for closing an announcement (decision 87).
package enum ClosingReason: String, Sendable {
  /// The pet is back.
  case home
  case other
}

/// Closes, reopens and forgets announcements, for example once the pet is back.
extension AnnouncementStore {
  /// Closes an announcement. See `AnnouncementRepositoryProtocol`.
  public func close(
    id: String, managementPassword: String, client: String?
  ) async throws -> Announcement {
    try await close(
      authorize(id: id, managementPassword: managementPassword, client: client))
  }

  /// Closes an announcement, which removes it from the lists. Succeeds if it's already closed. A hidden one already has
  /// a `closed_at`; `owner_closed_at` records that its owner has closed it, too.
  ///
  /// - Parameter reason: the owner's reason, or `nil` if it isn't known. The reason of the first closing counts.
  /// - Throws: `notFound`; `wrongPassword` if the code was replaced meanwhile.
  package func close(
    _ owner: AnnouncementOwner, reason: ClosingReason? = nil
  ) async throws -> Announcement {
    let now = now().milliseconds
    try await writing { t in
      _ = try Self.row(of: owner, "id", t)
      try t.execute(
        """
        UPDATE announcement SET closed_at = coalesce(closed_at, $1), updated_at = $1, closed_reason = $3,
          owner_closed_at = CASE WHEN hidden_reason IS NOT NULL THEN $1 END
        WHERE id = $2
          AND (closed_at IS NULL OR hidden_reason IS NOT NULL AND owner_closed_at IS NULL)
        """, [.int(now), .text(owner.id), FieldValue(reason?.rawValue)])
    }
    return try await announcement(id: owner.id)
  }

  /// Locks an owner's announcement and returns these columns. The last value of the row is the result of the password
  /// check.
  ///
  /// - Throws: `notFound`; `wrongPassword` if the code was replaced since the owner was authorized.
  static func row(
    of owner: AnnouncementOwner, _ columns: String, _ t: Transaction
  ) throws -> ResultRow {
    let row = try t.rows(
      """
      SELECT \(columns), password_hash = $2 FROM announcement WHERE id = $1\(t.dialect.forUpdate)
      """, [.text(owner.id), .text(owner.hash)]
    ).first
    guard let row else { throw AnnouncementError.notFound(id: owner.id) }
    guard row.isTrue(row.values.count - 1) else { throw AnnouncementError.wrongPassword }
    return row
  }

  /// The time in seconds for which a closed announcement can be reopened. After that, `sweep` deletes its contents.
  package static let reopenSeconds: Double = 7 * 24 * 3600

  /// Reopens a closed announcement, which returns it to the lists. An open one stays open.
  ///
  /// - Throws: `notFound`; `wrongPassword` if the code was replaced meanwhile; `closed` after seven days; `takenDown`;
  ///   `duplicateMicrochip` if another announcement with this chip was listed meanwhile.
  package func reopen(_ owner: AnnouncementOwner) async throws -> Announcement {
    let now = now()
    let earliest = (now - Self.reopenSeconds).milliseconds
    try await writing { t in
      let row = try Self.row(of: owner, "microchip_number, closed_at, hidden_reason", t)
      if let reason = row.text(2) {
        throw AnnouncementError.takenDown(id: owner.id, reason: reason)
      }
      guard let closed = row.number(1) else { return }
      guard closed > earliest else { throw AnnouncementError.closed(id: owner.id) }
      try Self.lockFree(chip: row.text(0), of: owner.id, t)
      try t.execute(
        """
        UPDATE announcement SET closed_at = NULL, closed_reason = NULL, updated_at = $1
        WHERE id = $2
        """, [.int(now.milliseconds), .text(owner.id)])
    }
    return try await announcement(id: owner.id)
  }

  /// Deletes the contact, texts, place and photo of announcements that were closed before `date` (decision 61). Only
  /// the pet's name and species remain. A dry run only counts.
  ///
  /// - Returns: the number of announcements.
  package func forgetClosed(before date: Date, dryRun: Bool) async throws -> Int {
    // Hiding also sets `closed_at`, so a hidden announcement counts only if its owner has closed it, too.
    let condition = """
      closed_at < $1 AND contact_name <> '' AND (hidden_reason IS NULL OR owner_closed_at < $1)
      """
    let catalog = photos.catalog
    let (count, gone) = try await database.writing(dryRun: dryRun) { t in
      let rows = try t.rows(
        """
        SELECT id, number, photo_id FROM announcement WHERE \(condition)\(t.dialect.forUpdate)
        """, [.int(date.milliseconds)])
      var gone: [BlobPath] = []
      let emptied = (Self.forgotten + PublishedTexts.fields.map(\.rawValue))
        .map { "\($0) = NULL" }.joined(separator: ", ")
      for row in rows {
        guard let id = row.text(0), let number = row.number(1) else { continue }
        try t.execute(
          """
          UPDATE announcement SET contact_name = '', contact_phone = '', search = '', \(emptied)
          WHERE id = $1
          """, [.text(id)])
        try t.execute("DELETE FROM announcement_word WHERE announcement = $1", [.int(number)])
        gone += try RecordedDrafts.erase(
          "announcement_id = $1 AND is_submitted", [.text(id)], catalog, t)
        if let photo = row.text(2) { gone += try catalog.erase(photo: photo, t) }
      }
      return (rows.count, gone)
    }
    if !dryRun { await photos.release(gone) }
    return count
  }

  /// The nullable columns that describe the owner or the pet.
  private static let forgotten = [
    "breed", "sex", "age", "photo_id", "photo_sha256", "latitude", "longitude", "address", "cell",
    "description", "email", "microchip_number", "disappeared_on",
  ]
}
