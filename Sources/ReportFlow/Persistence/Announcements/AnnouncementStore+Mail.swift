import Announcements
import Foundation
import PhotoAttachments

/// Mails codes to owners (decision 79).
extension AnnouncementStore {
  /// The time in milliseconds for which a mailed code is valid unless it's used.
  private static let newCodeLife: Int64 = 24 * 3600 * 1000

  /// Mails a new code if `address` belongs to this open announcement, and if neither the announcement nor the client
  /// has reached its daily limit. Otherwise writes nothing. The old code stays valid until the new one is used.
  package func sendNewCode(of id: String, to address: String) async throws {
    guard let letters, id.isStorable, address.isStorable else { return }
    let now = now().milliseconds
    let counts = MailQueue.Count.lostCode(of: id, for: countedClient)
    @Sendable func email(_ lock: String, _ t: Transaction) throws -> String? {
      try t.rows(
        "SELECT email FROM announcement WHERE id = $1 AND closed_at IS NULL\(lock)", [.text(id)]
      ).first?.text(0).flatMap { $0.lowercased() == address.lowercased() ? $0 : nil }
    }
    let isDue = try await database.reading(.lookUp) { t in
      try email("", t) != nil && MailQueue.hasRoom(counts, at: now, t)
    }
    guard isDue else { return }
    let code = ManagementPassword.random()
    let hash = ManagementPassword.hash(code, of: id)
    try await writing { t in
      if let email = try email(t.dialect.forUpdate, t),
        try MailQueue.add(
          letters.newCode(code, of: id, to: email), about: id, counts, at: now, t)
      {
        try t.execute(
          """
          UPDATE announcement SET new_password_hash = $2, new_password_until = $3 WHERE id = $1
          """, [.text(id), .text(hash), .int(now + Self.newCodeLife)])
      }
    }
  }

  /// Revokes a code that was mailed to an announcement's former address, and notifies both addresses. Deletes unsent
  /// mails with codes.
  func endMailedCode(
    of id: String, from former: String?, to new: String?, at now: Int64, _ t: Transaction
  ) throws {
    try t.execute(
      """
      UPDATE announcement SET new_password_hash = NULL, new_password_until = NULL WHERE id = $1
      """, [.text(id)])
    try MailQueue.removeCodes(about: id, t)
    guard let letters else { return }
    if let former {
      let notice = letters.notice(of: id, to: former, isFormer: true)
      let count = MailQueue.Count.formerAddress(former, of: id)
      try MailQueue.add(notice, about: id, count, at: now, t)
    }
    if let new {
      let notice = letters.notice(of: id, to: new, isFormer: false)
      let count = MailQueue.Count.publishing(to: new, for: countedClient)
      try MailQueue.add(notice, about: id, count, at: now, t)
    }
  }
}
