import Announcements
import Foundation
import PhotoAttachments

/// Tries of clients, see `ClientTries`.
extension AnnouncementStore {
  /// How an announcement and a client's tries stand, without counting one.
  ///
  /// - Throws: `notFound`, `closed` for an erased one.
  func access(id: String, client: String?) async throws -> OwnerAccess {
    let now = now().milliseconds
    do {
      return try await reading { try Self.access(id, client, at: now, $0) }
    } catch AnnouncementError.notFound {
      throw try await missing(id)
    }
  }

  /// Compares a code, unless the client has to wait, and counts a wrong one as `ClientTries` says; without a
  /// client nothing is counted. A right one gives back what the client spent on the announcement. A new code
  /// takes the place of the old one with its first use.
  static func authorize(
    _ id: String, _ code: String, _ client: String?, at now: Int64, _ t: Transaction
  ) throws -> AnnouncementOwner {
    if let client {
      // The announcement first, as every act that locks its chip does; then one try of a client at a time.
      try t.lock(.announcement(id))
      try t.lock(.client(client))
    }
    let access = try access(id, client, at: now, t)
    if let moment = access.waitsUntil { throw AnnouncementError.throttled(until: moment) }
    var owner = access.owner
    var isRight = ManagementPassword.verify(code, of: id, against: owner.hash)
    if !isRight, let newHash = access.newHash {
      owner = AnnouncementOwner(id: id, hash: newHash, refusal: owner.refusal)
      // Another act may have ended it, or used it, since it was read.
      isRight =
        try ManagementPassword.verify(code, of: id, against: newHash)
        && t.run(
          """
          UPDATE announcement
          SET password_hash = $2, new_password_hash = NULL, new_password_until = NULL
          WHERE id = $1 AND new_password_hash = $2
          """, [.text(id), .text(newHash)]) > 0
    }
    guard isRight else {
      if let client { try countTry(id, client, at: now, t) }
      throw AnnouncementError.wrongPassword
    }
    if let client, access.isCounted {
      try forgetTries(id, client, t)
    } else if owner == access.owner {
      // Nothing was written, so no disk has to sync.
      t.rollsBack = true
    }
    return owner
  }

  static func access(
    _ id: String, _ client: String?, at now: Int64, _ t: Transaction
  ) throws -> OwnerAccess {
    guard id.isStorable, client?.isStorable ?? true,
      let found = try t.rows(
        """
        SELECT password_hash, closed_at, hidden_reason,
          CASE WHEN new_password_until > $2 THEN new_password_hash END
        FROM announcement WHERE id = $1
        """, [.text(id), .int(now)]
      ).first, let hash = found.text(0)
    else { throw AnnouncementError.notFound(id: id) }
    let refusal: AnnouncementError? =
      if let reason = found.text(2) {
        .takenDown(id: id, reason: reason)
      } else {
        found.number(1) == nil ? nil : .closed(id: id)
      }
    let owner = AnnouncementOwner(id: id, hash: hash, refusal: refusal)
    var access = OwnerAccess(owner: owner, newHash: found.text(3))
    guard let client else { return access }
    let row = try t.rows(
      "SELECT locked_until FROM wrong_password WHERE announcement = $1 AND client = $2",
      [.text(id), .text(client)]
    ).first
    let wait = ClientTries.wait(
      fullAt: try fullAt(client, t), reservedUntil: row?.number(0), at: now)
    access.isCounted = row != nil
    access.waitsUntil = wait.map { Date(milliseconds: $0) }
    return access
  }

  /// When all shared tries of a client are back.
  private static func fullAt(_ client: String, _ t: Transaction) throws -> Int64? {
    try t.rows("SELECT full_at FROM client_tries WHERE client = $1", [.text(client)])
      .first?.number(0)
  }

  /// Uses one of a client's shared tries.
  ///
  /// - Returns: whether there was one.
  private static func useTry(
    of client: String, at now: Int64, _ t: Transaction
  ) throws -> Bool {
    guard let next = ClientTries.using(fullAt: try fullAt(client, t), at: now) else { return false }
    try t.run(
      """
      INSERT INTO client_tries (client, full_at) VALUES ($1, $2)
      ON CONFLICT (client) DO UPDATE SET full_at = excluded.full_at
      """, [.text(client), .int(next)])
    // Rows that another transaction locks go the next time.
    try t.run(
      """
      DELETE FROM client_tries WHERE client IN (
        SELECT client FROM client_tries WHERE full_at <= $1
        LIMIT \(ClientTries.deletedAtOnce)\(t.dialect.forUpdateOfFree))
      """, [.int(now)])
    return true
  }

  private static func countTry(
    _ id: String, _ client: String, at now: Int64, _ t: Transaction
  ) throws {
    let isShared = try useTry(of: client, at: now, t)
    try t.run(
      """
      INSERT INTO wrong_password (announcement, client, tries, tried_at, locked_until)
      VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT (announcement, client) DO UPDATE
      SET tries = wrong_password.tries + excluded.tries, tried_at = excluded.tried_at,
        locked_until = coalesce(excluded.locked_until, wrong_password.locked_until)
      """,
      [
        .text(id), .text(client), .int(isShared ? 1 : 0), .int(now),
        FieldValue(isShared ? nil : ClientTries.reserving(at: now)),
      ])
    try t.run(
      """
      DELETE FROM wrong_password WHERE (announcement, client) IN (
        SELECT announcement, client FROM wrong_password WHERE tried_at <= $1
        ORDER BY tried_at LIMIT \(ClientTries.deletedAtOnce)\(t.dialect.forUpdateOfFree))
      """, [.int(ClientTries.forgetting(at: now))])
  }

  /// Checks that no listed announcement has this chip, which is locked.
  ///
  /// - Throws: `duplicateMicrochip`, which costs the client a try; `throttled` if it has none left.
  static func checkChip(
    _ chip: String?, butNot id: String, client: String?, at now: Int64, _ t: Transaction
  ) throws {
    guard let chip else { return }
    if let client {
      if client.isStorable { try t.lock(.client(client)) }
      if let wait = ClientTries.wait(
        fullAt: try fullAt(client, t), reservedUntil: .max, at: now)
      {
        throw AnnouncementError.throttled(until: Date(milliseconds: wait))
      }
    }
    guard try isListed(chip: chip, butNot: id, t) else { return }
    if let client { _ = try useTry(of: client, at: now, t) }
    throw AnnouncementError.duplicateMicrochip
  }

  /// Gives a client back the tries that it spent on an announcement.
  private static func forgetTries(_ id: String, _ client: String, _ t: Transaction) throws {
    let spent = try t.rows(
      "DELETE FROM wrong_password WHERE announcement = $1 AND client = $2 RETURNING tries",
      [.text(id), .text(client)]
    ).first?.number(0)
    if let spent, let fullAt = try fullAt(client, t) {
      try t.run(
        "UPDATE client_tries SET full_at = $1 WHERE client = $2",
        [.int(ClientTries.returning(spent, fullAt: fullAt)), .text(client)])
    }
  }
}
