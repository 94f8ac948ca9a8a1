import Announcements
public import Foundation
import GRDB
import PhotoAttachments
public import ReportFlow

/// Tries of passwords.
extension SQLiteAnnouncements {
  /// See the protocol.
  public func look(id: String, client: String?, at now: Date) async throws -> OwnerLook {
    try await reading { try Self.look(id, client, at: now.milliseconds, in: $0) }.get()
  }

  /// See the protocol.
  public func countTry(id: String, client: String?, at now: Date) async throws -> OwnerLook {
    try await writing { db in
      let looked = try Self.look(id, client, at: now.milliseconds, in: db)
      if let client, case .success = looked {
        try Self.countTry(id, client, at: now.milliseconds, in: db)
      }
      return looked
    }
  }

  private static func look(
    _ id: String, _ client: String?, at now: Int64, in db: Database
  ) throws -> Result<OwnerLook, AnnouncementError> {
    guard id.isWhole, client?.isWhole ?? true,
      let hash = try String.fetchOne(
        db, sql: "SELECT password_hash FROM announcement WHERE id = ?", arguments: [id])
    else { return .failure(.notFound(id: id)) }
    let row = try Row.fetchOne(
      db,
      sql: "SELECT locked_until FROM wrong_password WHERE announcement = ? AND client = ?",
      arguments: [id, client])
    if let until = row?["locked_until"] as Int64?, until > now {
      return .failure(.throttled(until: Date(milliseconds: until)))
    }
    return .success(OwnerLook(hash: hash, isCounted: row != nil))
  }

  private static func countTry(
    _ id: String, _ client: String, at now: Int64, in db: Database
  ) throws {
    let before = try Int.fetchOne(
      db, sql: "SELECT tries FROM wrong_password WHERE announcement = ? AND client = ?",
      arguments: [id, client])
    let tries = (before ?? 0) + 1
    try db.execute(
      sql: """
        INSERT INTO wrong_password (announcement, client, tries, tried_at, locked_until)
        VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET tries = excluded.tries, tried_at = excluded.tried_at,
          locked_until = excluded.locked_until
        """,
      arguments: [id, client, tries, now, WrongPasswords.wait(after: tries).map { now + $0 }])
    if before == nil {
      try db.execute(
        sql: """
          DELETE FROM wrong_password WHERE (announcement, client) IN (
            SELECT announcement, client FROM wrong_password
            ORDER BY tried_at DESC LIMIT -1 OFFSET ?)
          """, arguments: [WrongPasswords.mostCounted])
    }
  }

  /// See the protocol.
  public func forgetTries(id: String, client: String) async throws {
    try await writing {
      try $0.execute(
        sql: "DELETE FROM wrong_password WHERE announcement = ? AND client = ?",
        arguments: [id, client])
      return .success(())
    }
  }
}
