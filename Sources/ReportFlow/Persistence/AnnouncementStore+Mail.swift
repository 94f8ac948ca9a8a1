import Announcements
import Foundation
import PhotoAttachments

/// Codes that are mailed to owners (decision 79).
extension AnnouncementStore {
  /// Milliseconds for which a code that was mailed works unless it is used.
  private static let newCodeLife: Int64 = 24 * 3600 * 1000

  /// Sends a new code if this is the address of an open announcement, and neither the announcement nor the client
  /// has had its mails of the day; otherwise writes nothing. The old code works until the new one is used.
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
        try t.run(
          """
          UPDATE announcement SET new_password_hash = $2, new_password_until = $3 WHERE id = $1
          """, [.text(id), .text(hash), .int(now + Self.newCodeLife)])
      }
    }
  }

  /// Ends a code that was mailed to an announcement's former address, and informs both addresses. Mails with codes
  /// that were not sent yet are deleted.
  func endMailedCode(
    of id: String, from former: String?, to new: String?, at now: Int64, _ t: Transaction
  ) throws {
    try t.run(
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
