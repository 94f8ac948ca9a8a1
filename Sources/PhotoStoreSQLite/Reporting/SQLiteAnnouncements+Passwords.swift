import Announcements
public import Foundation
import GRDB
import PhotoAttachments
public import ReportFlow

/// Tries of clients, see `ClientTries`.
extension SQLiteAnnouncements {
  /// See the protocol.
  public func look(id: String, client: String?, at now: Date) async throws -> OwnerLook {
    try await reading { try Self.look(id, client, at: now.milliseconds, in: $0) }.get()
  }

  /// See the protocol.
  public func countTry(id: String, client: String?, at now: Date) async throws -> OwnerLook {
    try await writing { db in
      let looked = try Self.look(id, client, at: now.milliseconds, in: db)
      guard let client, case .success(let look) = looked else { return looked }
      if let moment = look.waitsUntil { return .failure(.throttled(until: moment)) }
      try Self.countTry(id, client, at: now.milliseconds, in: db)
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
    guard let client else {
      return .success(OwnerLook(hash: hash, isCounted: false, waitsUntil: nil))
    }
    let row = try Row.fetchOne(
      db,
      sql: "SELECT locked_until FROM wrong_password WHERE announcement = ? AND client = ?",
      arguments: [id, client])
    let wait = ClientTries.wait(
      fullAt: try fullAt(client, in: db), reservedUntil: row?["locked_until"], at: now)
    return .success(
      OwnerLook(
        hash: hash, isCounted: row != nil, waitsUntil: wait.map { Date(milliseconds: $0) }))
  }

  /// When all shared tries of a client are back.
  private static func fullAt(_ client: String, in db: Database) throws -> Int64? {
    try Int64.fetchOne(
      db, sql: "SELECT full_at FROM client_tries WHERE client = ?", arguments: [client])
  }

  /// Uses one of a client's shared tries, for a chip that is looked for.
  ///
  /// - Returns: whether there was one.
  private static func useTry(of client: String, at now: Int64, in db: Database) throws -> Bool {
    guard let next = ClientTries.using(fullAt: try fullAt(client, in: db), at: now) else {
      return false
    }
    try db.execute(sql: "DELETE FROM client_tries WHERE full_at <= ?", arguments: [now])
    try db.execute(
      sql: """
        INSERT INTO client_tries (client, full_at) VALUES (?, ?)
        ON CONFLICT DO UPDATE SET full_at = excluded.full_at
        """, arguments: [client, next])
    return true
  }

  private static func countTry(
    _ id: String, _ client: String, at now: Int64, in db: Database
  ) throws {
    let isShared = try useTry(of: client, at: now, in: db)
    try db.execute(
      sql: """
        INSERT INTO wrong_password (announcement, client, tries, tried_at, locked_until)
        VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT DO UPDATE SET tries = tries + ?3, tried_at = ?4,
          locked_until = coalesce(?5, locked_until)
        """,
      arguments: [
        id, client, isShared ? 1 : 0, now, isShared ? nil : ClientTries.reserving(at: now),
      ])
    try db.execute(
      sql: """
        DELETE FROM wrong_password WHERE (announcement, client) IN (
          SELECT announcement, client FROM wrong_password
          ORDER BY tried_at DESC LIMIT -1 OFFSET ?)
        """, arguments: [ClientTries.mostKept])
  }

  /// Whether a listed announcement has this chip: an error then, which costs the client a try, or when
  /// it has no try left to find out.
  static func refusal(
    ofChip chip: String?, butNot id: String, client: String?, at now: Int64, in db: Database
  ) throws -> AnnouncementError? {
    guard let chip else { return nil }
    if let client,
      let wait = ClientTries.wait(
        fullAt: try fullAt(client, in: db), reservedUntil: .max, at: now)
    {
      return .throttled(until: Date(milliseconds: wait))
    }
    guard try isListed(chip: chip, butNot: id, in: db) else { return nil }
    if let client { _ = try useTry(of: client, at: now, in: db) }
    return .duplicateMicrochip
  }

  /// See the protocol.
  public func forgetTries(id: String, client: String) async throws {
    try await writing { db in
      let spent = try Int64.fetchOne(
        db,
        sql: """
          DELETE FROM wrong_password WHERE announcement = ? AND client = ? RETURNING tries
          """, arguments: [id, client])
      if let spent, let fullAt = try Self.fullAt(client, in: db) {
        try db.execute(
          sql: "UPDATE client_tries SET full_at = ? WHERE client = ?",
          arguments: [ClientTries.returning(spent, fullAt: fullAt), client])
      }
      return .success(())
    }
  }
}
