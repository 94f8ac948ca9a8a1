import Announcements
import Foundation
import PhotoAttachments

/// Compares codes (management passwords) and counts the tries of clients. See `ClientTries`.
extension AnnouncementStore {
  /// Returns the state of an announcement and of a client's tries without counting a try.
  ///
  /// - Throws: `notFound`; `closed` for an erased announcement.
  func access(id: String, client: String?) async throws -> OwnerAccess {
    let now = now().milliseconds
    do {
      return try await reading { try Self.access(id, client, at: now, $0) }
    } catch AnnouncementError.notFound {
      throw try await missing(id)
    }
  }

  /// Compares a code unless the client has to wait, and counts a wrong one according to `ClientTries`. Counts nothing
  /// if there is no client. A right code returns the tries that the client spent on the announcement. The first use of
  /// a mailed code makes it replace the old one.
  static func authorize(
    _ id: String, _ code: String, _ client: String?, at now: Int64, _ t: Transaction
  ) throws -> AnnouncementOwner {
    if let client {
      // Lock the announcement first, like every transaction that also locks its chip. The second lock makes a client's
      // tries run one after the other.
      try t.lock(.announcement(id))
      try t.lock(.client(client))
    }
    let access = try access(id, client, at: now, t)
    if let moment = access.waitsUntil { throw AnnouncementError.throttled(until: moment) }
    var owner = access.owner
    var isRight = ManagementPassword.verify(code, of: id, against: owner.hash)
    if !isRight, let newHash = access.newHash {
      owner = AnnouncementOwner(
        id: id, hash: newHash, refusal: owner.refusal, closedAt: owner.closedAt)
      // Another transaction may have revoked or used the code since it was read.
      isRight =
        try ManagementPassword.verify(code, of: id, against: newHash)
        && t.execute(
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
      // The transaction wrote nothing, so a rollback saves the disk a sync.
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
    let owner = AnnouncementOwner(
      id: id, hash: hash, refusal: refusal, closedAt: found.number(1).map(Date.init(milliseconds:)))
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

  /// Returns the time when all shared tries of a client are available again.
  private static func fullAt(_ client: String, _ t: Transaction) throws -> Int64? {
    try t.rows("SELECT full_at FROM client_tries WHERE client = $1", [.text(client)])
      .first?.number(0)
  }

  /// Uses one of a client's shared tries.
  ///
  /// - Returns: `false` if there was no try left.
  private static func useTry(
    of client: String, at now: Int64, _ t: Transaction
  ) throws -> Bool {
    guard let next = ClientTries.using(fullAt: try fullAt(client, t), at: now) else { return false }
    try t.execute(
      """
      INSERT INTO client_tries (client, full_at) VALUES ($1, $2)
      ON CONFLICT (client) DO UPDATE SET full_at = excluded.full_at
      """, [.text(client), .int(next)])
    // Rows that other transactions have locked are deleted next time.
    try t.execute(
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
    try t.execute(
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
    try t.execute(
      """
      DELETE FROM wrong_password WHERE (announcement, client) IN (
        SELECT announcement, client FROM wrong_password WHERE tried_at <= $1
        ORDER BY tried_at LIMIT \(ClientTries.deletedAtOnce)\(t.dialect.forUpdateOfFree))
      """, [.int(ClientTries.forgetting(at: now))])
  }

  /// Checks that no listed announcement has this chip, which the caller has locked.
  ///
  /// - Throws: `duplicateMicrochip`, which uses one of the client's tries; `throttled` if it has no try left.
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

  /// Returns the tries that a client spent on an announcement.
  private static func forgetTries(_ id: String, _ client: String, _ t: Transaction) throws {
    let spent = try t.rows(
      "DELETE FROM wrong_password WHERE announcement = $1 AND client = $2 RETURNING tries",
      [.text(id), .text(client)]
    ).first?.number(0)
    if let spent, let fullAt = try fullAt(client, t) {
      try t.execute(
        "UPDATE client_tries SET full_at = $1 WHERE client = $2",
        [.int(ClientTries.returning(spent, fullAt: fullAt)), .text(client)])
    }
  }
}
