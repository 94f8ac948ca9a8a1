package import Announcements
import Foundation
import Logging
public import PhotoAttachments

/// The operations of operators.
extension AnnouncementStore {
  /// Takes an announcement down. Lists and visitors no longer get it or its photo, and its microchip number becomes
  /// free. The owner can still close or erase it, but nothing else (decision 43). Requires access to the store but no
  /// password. Logged.
  ///
  /// - Parameters:
  ///   - id: the announcement's id.
  ///   - reason: the reason for operators, 1 to 500 characters.
  /// - Throws: `notFound`; `invalid` with `reason`.
  package func hide(id: String, reason: String) async throws {
    let reason = reason.trimmed
    guard !reason.isEmpty, reason.fits(characters: Announcement.maxDescriptionLength),
      reason.isStorable
    else {
      throw AnnouncementError.invalid(["reason"])
    }
    let moment = now().milliseconds
    try await endingUploads(of: id) {
      try await writing { try Self.hide(id, reason, at: moment, $0) }
    }
    logOperation("announcement hidden", id, ["reason": "\(reason)"])
  }

  /// Reverts `hide`. An announcement that its owner has closed stays closed. Logged.
  ///
  /// - Throws: `notFound`; `duplicateMicrochip` if another announcement with this chip was listed meanwhile.
  package func unhide(id: String) async throws {
    let moment = now().milliseconds
    try await writing { try Self.hide(id, nil, at: moment, $0) }
    logOperation("announcement no longer hidden", id)
  }

  /// Returns the announcements that `hide` took down, most recently changed first. Their details contain the reasons.
  package func listHidden(limit: Int) async throws -> [Announcement] {
    try await database.reading(.lookUp) { [logger] in
      try $0.rows(
        """
        SELECT \(AnnouncementRows.columns) FROM announcement WHERE hidden_reason IS NOT NULL
        ORDER BY updated_at DESC, number DESC LIMIT $1
        """, [FieldValue(limit)]
      ).compactMap { AnnouncementRows.announcement($0, logger) }
    }
  }

  /// Deletes an announcement like its owner would, but without the password. Logged.
  ///
  /// - Returns: the last picture that couldn't be deleted. `sweep` deletes it later.
  /// - Throws: `notFound`.
  @discardableResult
  public func erase(id: String) async throws -> PhotoAttachmentCache.NotDeleted? {
    _ = try await reading { try Self.access(id, nil, at: 0, $0) }
    let catalog = photos.catalog
    let gone = try await endingUploads(of: id) {
      try await writing { try Self.erase("id = $1", [.text(id)], catalog, $0) }
    }
    logOperation("announcement erased by an operator", id)
    return await photos.release(gone)
  }

  /// Logs at the warning level, because commands hide lower levels by default.
  private func logOperation(_ act: Logger.Message, _ id: String, _ facts: Logger.Metadata = [:]) {
    logger.warning(act, metadata: facts.merging(["id": "\(id)", "user": "\(getuid())"]) { $1 })
  }

  /// Takes an announcement down. Without a reason, restores the state in which its owner left it.
  static func hide(
    _ id: String, _ reason: String?, at now: Int64, _ t: Transaction
  ) throws {
    guard id.isStorable,
      let row = try t.rows(
        """
        SELECT microchip_number, hidden_reason, owner_closed_at FROM announcement
        WHERE id = $1\(t.dialect.forUpdate)
        """, [.text(id)]
      ).first
    else { throw AnnouncementError.notFound(id: id) }
    if let reason {
      try deleteUploads(of: id, t)
      try t.execute(
        """
        UPDATE announcement SET closed_at = coalesce(closed_at, $1), updated_at = $1,
          owner_closed_at = CASE WHEN hidden_reason IS NULL THEN closed_at ELSE owner_closed_at END,
          hidden_reason = $2
        WHERE id = $3
        """, [.int(now), .text(reason), .text(id)])
    } else if row.text(1) != nil {
      if row.number(2) == nil { try lockFree(chip: row.text(0), of: id, t) }
      try t.execute(
        """
        UPDATE announcement SET closed_at = owner_closed_at, updated_at = $1,
          owner_closed_at = NULL, hidden_reason = NULL
        WHERE id = $2
        """, [.int(now), .text(id)])
    }
  }
}
