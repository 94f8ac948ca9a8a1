import Announcements
package import Foundation
import Hashing
package import PhotoAttachments
package import PhotoModel

/// Writes the mails to owners, in one language and with the URLs of one server. The code in a mail is the
/// announcement's management password.
package struct MailLetters: Sendable {
  /// The texts in the language of the report.
  let words: Words
  /// The base of the announcements' URLs.
  let base: String

  package init(_ words: Words, base: String) {
    self.words = words
    self.base = base
  }

  func code(_ code: String, of id: String, to address: String) -> Letter {
    letter("mail.code.subject", "mail.code.text", code, id, address)
  }

  func newCode(_ code: String, of id: String, to address: String) -> Letter {
    letter("mail.newCode.subject", "mail.newCode.text", code, id, address)
  }

  /// Returns a mail that informs an address that an announcement now uses it, or no longer does.
  func notice(of id: String, to address: String, isFormer: Bool) -> Letter {
    isFormer
      ? letter("mail.formerAddress.subject", "mail.formerAddress.text", "", id, address)
      : letter("mail.newAddress.subject", "mail.newAddress.text", "", id, address)
  }

  private func letter(
    _ subject: TextKey, _ text: TextKey, _ code: String, _ id: String, _ address: String
  ) -> Letter {
    Letter(
      to: address, subject: words(subject),
      text: words(text, ["code": code, "address": "\(base)/announcements/\(id)"]),
      language: words.language.rawValue, hasCode: !code.isEmpty)
  }
}

/// A mail's contents.
package struct Letter: Codable, Sendable {
  package let to, subject, text, language: String
  /// `true` if the mail contains a code, which a change of the address revokes. `nil` in a mail from an earlier
  /// version, which contains one.
  package var hasCode: Bool?

  /// Returns the mail in the format for sending (RFC 5322), as plain text in UTF-8.
  package func message(id: String, from: String, at now: Date) -> [UInt8] {
    let domain = from.split(separator: "@").last.map(String.init) ?? "localhost"
    let date = DateFormatter()
    date.locale = Locale(identifier: "en_US_POSIX")
    date.timeZone = TimeZone(secondsFromGMT: 0)
    date.dateFormat = "EEE, dd MMM yyyy HH:mm:ss Z"
    let body = Data(text.utf8).base64EncodedString(
      options: [.lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed])
    let lines = [
      "From: <\(from)>", "To: <\(to)>",
      "Subject: " + Self.encodedWords(subject).joined(separator: "\r\n "),
      "Date: \(date.string(from: now))", "Message-ID: <\(id)@\(domain)>", "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64",
      "Content-Language: \(language)", "Auto-Submitted: auto-generated", "", body, "",
    ]
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  /// Encodes a text as encoded words (RFC 2047), one per line of a header field. Each word has at most 75 characters
  /// and each line at most 76, including the field's name. Characters are never split.
  private static func encodedWords(_ text: String) -> [String] {
    var pieces: [[UInt8]] = [[]]
    for scalar in text.unicodeScalars {
      let bytes = Array(UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      if pieces[pieces.count - 1].count + bytes.count > 39 { pieces.append([]) }
      pieces[pieces.count - 1] += bytes
    }
    return pieces.map { "=?UTF-8?B?\(Data($0).base64EncodedString())?=" }
  }
}

/// Sends single mails to a mail server. `Stores.mailer` creates it, and the server sends the mails of `MailQueue` with
/// it.
package struct Mailer: Sendable {
  package enum Outcome: Sendable {
    case sent
    /// The server has rejected the mail permanently.
    case refused(String)
    /// The mail may be sent later.
    case failed(String)
  }

  package let from: String
  package let send: @Sendable (_ message: [UInt8], _ address: String) -> Outcome

  package init(
    from: String, send: @escaping @Sendable (_ message: [UInt8], _ address: String) -> Outcome
  ) {
    self.from = from
    self.send = send
  }
}

/// The queue of unsent mails, stored as rows of `mail`. A mail is encrypted, because it may contain a code. It's
/// deleted after it was sent, or after a day.
package struct MailQueue: Sendable {
  /// A mail to send now.
  package struct Due: Sendable {
    package let id: String
    package let letter: Letter
    /// The time when the mail was created.
    package let created: Date
  }

  /// The time in seconds for which sending is retried.
  private static let life: Int64 = 24 * 3600
  /// The maximum number of mails per day for each count.
  private static let perDay = 3
  /// The prefix of the IDs of mails without a code.
  private static let notice = "notice-"

  /// The names of the counts that limit mails, three a day for each. Separate counts ensure that mails that a stranger
  /// causes don't use up other limits.
  enum Count {
    /// The counts for an address that somebody has just entered.
    static func publishing(to address: String, for client: String?) -> [String] {
      ["address " + address.lowercased()] + (client.map { ["client " + $0] } ?? [])
    }

    static func lostCode(of id: String, for client: String?) -> [String] {
      ["lost code of " + id] + (client.map { ["lost code for " + $0] } ?? [])
    }

    /// Doesn't count the client. Otherwise a client that took over an announcement could use up its limit first, and
    /// the former address wouldn't be notified.
    static func formerAddress(_ address: String, of id: String) -> [String] {
      ["former address of \(id) \(address.lowercased())"]
    }
  }

  private let database: any RecordsDatabase

  package init(_ photos: PhotoAttachmentCache) { database = photos.catalog.database }

  private static func key(_ secret: Data) -> [UInt8] {
    hmac(Array("petspot mail".utf8), key: Array(secret))
  }

  private static func digests(_ counts: [String], _ t: Transaction) throws -> [String] {
    let secret = try t.storeSecret()
    // Sort the digests, so that two transactions lock them in the same order and can't deadlock.
    return counts.map {
      hmac(Array("petspot mail \($0)".utf8), key: Array(secret)).hexadecimal
    }.sorted()
  }

  /// Returns `true` if another mail may be added. Writes nothing.
  static func hasRoom(_ counts: [String], at now: Int64, _ t: Transaction) throws -> Bool {
    try t.rows(
      """
      SELECT 1 FROM mail_count
      WHERE who \(t.dialect.among("$1")) AND day = $2 AND mails >= \(perDay)
      """, [.list(try digests(counts, t)), .int(now / 86_400_000)]
    ).isEmpty
  }

  /// Adds a mail unless one of the counts has reached its daily limit, in which case no count changes.
  ///
  /// - Returns: `true` if the mail was added.
  @discardableResult
  static func add(
    _ letter: Letter, about announcement: String, _ counts: [String], at now: Int64,
    _ t: Transaction
  ) throws -> Bool {
    let day = now / 86_400_000
    let names = try digests(counts, t)
    for (index, name) in names.enumerated() {
      let isCounted = try t.execute(
        """
        INSERT INTO mail_count (who, day, mails) VALUES ($1, $2, 1)
        ON CONFLICT (who, day) DO UPDATE SET mails = mail_count.mails + 1
        WHERE mail_count.mails < \(perDay)
        """, [.text(name), .int(day)])
      if isCounted > 0 { continue }
      try t.execute(
        "UPDATE mail_count SET mails = mails - 1 WHERE who \(t.dialect.among("$1")) AND day = $2",
        [.list(names[..<index]), .int(day)])
      return false
    }
    try t.execute("DELETE FROM mail_count WHERE day < $1", [.int(day - 1)])
    let key = key(try t.storeSecret())
    let bytes = [UInt8](try JSONEncoder().encode(letter))
    guard let sealed = SealedBox.seal(bytes, nonce: randomBytes(12), key: key) else {
      throw StoreError.fault(.record)
    }
    try t.execute(
      """
      INSERT INTO mail (id, announcement, sealed, tries, created_at, next_try_at)
      VALUES ($1, $2, $3, 0, $4, $4)
      """,
      [
        .text((letter.hasCode ?? true ? "" : notice) + randomName()), .text(announcement),
        .data(Data(sealed)),
        .int(now),
      ])
    return true
  }

  /// Deletes the unsent mails with codes for an announcement.
  static func removeCodes(about announcement: String, _ t: Transaction) throws {
    try t.execute(
      "DELETE FROM mail WHERE announcement = $1 AND id NOT LIKE '\(notice)%'",
      [.text(announcement)])
  }

  /// The result of reserving the next mail.
  package struct Reservation: Sendable {
    /// The mail, or `nil` if no mail is due or the due one is unreadable.
    package var due: Due?
    /// The ID of a mail that this version or this store's secret can't read. It stays until it's a day old.
    package var unreadable: String?
    /// The number of mails that were deleted because they were a day old.
    package var givenUp = 0
  }

  /// Reserves the mail that has been due for longest, so that other servers skip it until its next try. That is at
  /// least a minute from now, twice the time that `MailServer` may take. Also deletes mails that are a day old.
  package func reserveNext(at now: Date) async throws(StoreError) -> Reservation {
    let now = now.milliseconds
    let isAny = try await database.reading(.lookUp) {
      try !$0.rows("SELECT 1 FROM mail WHERE next_try_at <= $1 LIMIT 1", [.int(now)]).isEmpty
    }
    guard isAny else { return Reservation() }
    return try await database.writing { t in
      var reservation = Reservation()
      reservation.givenUp = try t.execute(
        "DELETE FROM mail WHERE created_at < $1", [.int(now - Self.life * 1000)])
      let key = Self.key(try t.storeSecret())
      let rows = try t.rows(
        """
        SELECT id, sealed, created_at, tries FROM mail WHERE next_try_at <= $1
        ORDER BY next_try_at LIMIT 1\(t.dialect.forUpdateOfFree)
        """, [.int(now)])
      guard let row = rows.first, let id = row.text(0), let created = row.number(2) else {
        return reservation
      }
      // The pause starts at one minute and doubles each time, up to an hour.
      let pause = min(Int64(60) << min(row.number(3) ?? 0, 6), 3600)
      try t.execute(
        "UPDATE mail SET tries = tries + 1, next_try_at = $2 WHERE id = $1",
        [.text(id), .int(now + pause * 1000)])
      let bytes = row.data(1).flatMap { SealedBox.open([UInt8]($0), key: key) }
      do {
        let letter = try JSONDecoder().decode(Letter.self, from: Data(bytes ?? []))
        reservation.due = Due(id: id, letter: letter, created: Date(milliseconds: created))
      } catch { reservation.unreadable = id }
      return reservation
    }
  }

  /// Deletes a mail that was sent or can't be sent.
  package func remove(_ id: String) async throws(StoreError) {
    _ = try await database.writing { try $0.execute("DELETE FROM mail WHERE id = $1", [.text(id)]) }
  }

  package static func count(_ t: Transaction) throws -> Int {
    Int(try t.rows("SELECT count(*) FROM mail").first?.number(0) ?? 0)
  }
}
