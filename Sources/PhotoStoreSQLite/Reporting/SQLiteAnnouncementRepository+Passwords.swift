import Announcements
public import Foundation
import GRDB
import PhotoAttachments
import ReportFlow

extension SQLiteAnnouncementRepository {
  /// See the protocol.
  public func managementPassword(idempotencyKey: UUID) async throws -> String {
    ManagementPassword.derived(from: try await reading(ReportDatabase.secret), for: idempotencyKey)
  }

  /// See the protocol.
  public func authorize(id: String, managementPassword: String, client: String?) async throws {
    _ = try await authorized(id, managementPassword, client)
  }

  /// How many wrong passwords in a row are free, and the longest wait after more.
  private static let (freeTries, longestWait) = (5, Int64(15 * 60 * 1000))

  /// How many pairs of an announcement and a client are counted at most: whoever has many addresses
  /// does not fill the disk with them.
  static let mostCounted = 10_000

  /// Lets the owner of `password` pass and returns the hash it was held against. A try is counted
  /// before it is looked at, in the database, so that neither a restart nor many tries at once get
  /// around the throttle; who finds the line full was not looked at and is not counted.
  func authorized(_ id: String, _ password: String, _ client: String?) async throws -> String {
    let (known, isCounted) = try await reading { [now] in
      try Self.look(id, client, at: now().milliseconds, in: $0)
    }.get()
    if passwords.knows(password, of: known) {
      if let client, isCounted { try await forgetTries(id, client) }
      return known
    }
    try passwords.enter()
    defer { passwords.leave() }
    let hash = try await writing { [now] in
      try Self.countTry(id, client, at: now().milliseconds, in: $0)
    }
    guard try await passwords.verify(password, against: hash) else {
      throw AnnouncementError.wrongPassword
    }
    if let client { try await forgetTries(id, client) }
    return hash
  }

  /// The announcement's hash, and whether tries of the client are counted; fails as `countTry` does.
  private static func look(
    _ id: String, _ client: String?, at now: Int64, in db: Database
  ) throws -> Result<(hash: String, isCounted: Bool), AnnouncementError> {
    guard id.isWhole,
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
    return .success((hash, row != nil))
  }

  private static func countTry(
    _ id: String, _ client: String?, at now: Int64, in db: Database
  ) throws -> Result<String, AnnouncementError> {
    let hash: String
    switch try look(id, client, at: now, in: db) {
    case .failure(let error): return .failure(error)
    case .success(let found): hash = found.hash
    }
    guard let client else { return .success(hash) }
    let before = try Int.fetchOne(
      db, sql: "SELECT tries FROM wrong_password WHERE announcement = ? AND client = ?",
      arguments: [id, client])
    let tries = (before ?? 0) + 1
    // 30 s after the fifth, doubling from there.
    let wait = tries < freeTries ? 0 : min(longestWait, 30_000 << Int64(min(tries - freeTries, 10)))
    try db.execute(
      sql: """
        INSERT INTO wrong_password (announcement, client, tries, tried_at, locked_until)
        VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET tries = excluded.tries, tried_at = excluded.tried_at,
          locked_until = excluded.locked_until
        """, arguments: [id, client, tries, now, wait == 0 ? nil : now + wait])
    if before == nil {
      try db.execute(
        sql: """
          DELETE FROM wrong_password WHERE (announcement, client) IN (
            SELECT announcement, client FROM wrong_password
            ORDER BY tried_at DESC LIMIT -1 OFFSET ?)
          """, arguments: [mostCounted])
    }
    return .success(hash)
  }

  private func forgetTries(_ id: String, _ client: String) async throws {
    try await writing {
      try $0.execute(
        sql: "DELETE FROM wrong_password WHERE announcement = ? AND client = ?",
        arguments: [id, client])
      return .success(())
    }
  }
}
