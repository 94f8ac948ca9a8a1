import Announcements
package import Foundation
import PhotoAttachments
package import ReportFlow

/// Tries of passwords.
extension PostgresAnnouncements {
  package func look(id: String, client: String?, at now: Date) async throws -> OwnerLook {
    try await reading { try Self.look(id, client, at: now.milliseconds, $0) }.get()
  }

  package func countTry(id: String, client: String?, at now: Date) async throws -> OwnerLook {
    try await writing { t in
      guard id.isWhole else { return .failure(.notFound(id: id)) }
      // One try of an announcement is counted at a time.
      try t.rows("SELECT 1 FROM announcement WHERE id = $1 FOR UPDATE", [.text(id)])
      let looked = try Self.look(id, client, at: now.milliseconds, t)
      if let client, case .success = looked {
        try Self.countTry(id, client, at: now.milliseconds, t)
      }
      return looked
    }
  }

  private static func look(
    _ id: String, _ client: String?, at now: Int64, _ t: PostgresTransaction
  ) throws -> Result<OwnerLook, AnnouncementError> {
    guard id.isWhole, client?.isWhole ?? true,
      let hash = try t.rows("SELECT password_hash FROM announcement WHERE id = $1", [.text(id)])
        .first?.text(0)
    else { return .failure(.notFound(id: id)) }
    let row = try t.rows(
      "SELECT locked_until FROM wrong_password WHERE announcement = $1 AND client = $2",
      [.text(id), FieldValue(client)]
    ).first
    if let until = row?.number(0), until > now {
      return .failure(.throttled(until: Date(milliseconds: until)))
    }
    return .success(OwnerLook(hash: hash, isCounted: row != nil))
  }

  private static func countTry(
    _ id: String, _ client: String, at now: Int64, _ t: PostgresTransaction
  ) throws {
    let before = try t.rows(
      "SELECT tries FROM wrong_password WHERE announcement = $1 AND client = $2",
      [.text(id), .text(client)]
    ).first?.number(0)
    let tries = Int(before ?? 0) + 1
    try t.run(
      """
      INSERT INTO wrong_password (announcement, client, tries, tried_at, locked_until)
      VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (announcement, client) DO UPDATE SET tries = excluded.tries,
        tried_at = excluded.tried_at, locked_until = excluded.locked_until
      """,
      [
        .text(id), .text(client), FieldValue(tries), .int(now),
        FieldValue(WrongPasswords.wait(after: tries).map { now + $0 }),
      ])
    if before == nil {
      try t.run(
        """
        DELETE FROM wrong_password WHERE (announcement, client) IN (
          SELECT announcement, client FROM wrong_password
          ORDER BY tried_at DESC OFFSET $1)
        """, [FieldValue(WrongPasswords.mostCounted)])
    }
  }

  package func forgetTries(id: String, client: String) async throws {
    _ = try await writing {
      .success(
        try $0.run(
          "DELETE FROM wrong_password WHERE announcement = $1 AND client = $2",
          [.text(id), .text(client)]))
    }
  }
}
