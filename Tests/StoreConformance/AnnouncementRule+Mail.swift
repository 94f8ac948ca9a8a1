import Announcements
import Foundation
import PhotoAttachments
import ReportFlow

extension AnnouncementRule {
  static let mail = [
    Self("A mailed code works for a day, and becomes the code when it is used") { place, found in
      let id = try await place.publish(mailed()).id
      let store = try place.mailing()
      try await store.sendNewCode(of: id, to: "OLA@example.org")
      let first = try await place.codes()
      found.equal(first.count, 1)
      place.wait(24 * 3600 - 1)
      try await place.open().authorize(id: id, managementPassword: "p", client: nil)
      place.wait(1)
      await found.refuses(.wrongPassword) {
        try await place.open().authorize(id: id, managementPassword: first[0], client: nil)
      }
      try await store.sendNewCode(of: id, to: "ola@example.org")
      let second = try await place.codes()
      found.equal(second.count, 1)
      place.wait(24 * 3600 - 1)
      for client in ["me", nil] {
        try await place.open().authorize(id: id, managementPassword: second[0], client: client)
      }
      await found.refuses(.wrongPassword) {
        try await place.open().authorize(id: id, managementPassword: "p", client: nil)
      }
      // The new code replaces the old one and doesn't expire.
      place.wait(30 * 24 * 3600)
      try await place.open().authorize(id: id, managementPassword: second[0], client: nil)
    },
    Self(
      "Another address ends a code that was mailed to the former one, and both addresses learn of it"
    ) {
      place, found in
      let id = try await place.publish(mailed()).id
      let store = try place.mailing()
      try await store.sendNewCode(of: id, to: "ola@example.org")
      let code = try await place.codes()
      let owner = try await store.authorize(id: id, managementPassword: "p", client: nil)
      try await store.change(owner, client: nil) { $0.email = "Ola@Example.org" }
      found.equal(try await place.letters().count, 0, "the same address")
      try await store.change(owner, client: nil) { $0.email = "new@example.org" }
      await found.refuses(.wrongPassword) {
        try await place.open().authorize(id: id, managementPassword: code[0], client: nil)
      }
      // After a second change before any mail is sent, every notice stays, but the code is gone.
      try await store.sendNewCode(of: id, to: "new@example.org")
      try await store.change(owner, client: nil) { $0.email = nil }
      let letters = try await place.letters()
      found.equal(
        letters.map(\.to).sorted(), ["Ola@Example.org", "new@example.org", "new@example.org"])
      for letter in letters {
        found.expect(letter.text.contains("https://pets.example/announcements/\(id)"))
        found.equal(AnnouncementPlace.codes(in: letter.text), [])
      }
    },
    Self("Lost codes have their own three mails a day, of the announcement and of the client") {
      place, found in
      let store = try place.mailing()
      // Strangers publish three announcements with the owner's address.
      for client in ["a", "b", "c", "d"] {
        _ = try await place.mailing(for: client).create(
          mailed(), idempotencyKey: UUID(), managementPassword: "q")
      }
      found.equal(try await place.letters().count, 3, "after publishing")
      let ids = [try await place.publish(mailed()).id, try await place.publish(mailed()).id]
      for _ in 0..<4 { try await store.sendNewCode(of: ids[0], to: "ola@example.org") }
      found.equal(try await place.codes().count, 3, "of the announcement")
      // The client has used up its mails. Its refused requests don't count for other announcements.
      try await store.sendNewCode(of: ids[1], to: "ola@example.org")
      found.equal(try await place.codes().count, 0, "of the client")
      let other = try place.mailing(for: "other")
      try await other.sendNewCode(of: ids[0], to: "ola@example.org")
      for _ in 0..<4 { try await other.sendNewCode(of: ids[1], to: "ola@example.org") }
      found.equal(try await place.codes().count, 3, "of another client")
      place.wait(24 * 3600)
      try await store.sendNewCode(of: ids[0], to: "ola@example.org")
      found.equal(try await place.codes().count, 1, "the next day")
    },
    Self("Nothing is written for a lost code that isn't sent") { place, found in
      let id = try await place.publish(mailed()).id
      let store = try place.mailing()
      for _ in 0..<3 { try await store.sendNewCode(of: id, to: "ola@example.org") }
      try place.ways.hinder(true)
      for address in ["ola@example.org", "eve@example.org", "", "\0"] {
        try await store.sendNewCode(of: id, to: address)
      }
      try await store.sendNewCode(of: UUID().uuidString.lowercased(), to: "ola@example.org")
      try place.ways.hinder(false)
      // Each mail counts once for the announcement and once for the client.
      let counted = try place.ways.photos().catalog.database.rows(
        "SELECT CAST(sum(mails) AS bigint) FROM mail_count", [])
      found.equal(counted.first?.number(0), 6)
      found.equal(try await place.codes().count, 3)
    },
    Self("A code that comes while the client's tries are counted is compared after them") {
      place, found in
      let id = try await place.publish(report()).id
      let (stores, now) = ([try place.open(), try place.open()], place.now)
      let database = try place.ways.photos().catalog.database
      let (begin, begun) = AsyncStream<Void>.makeStream()
      async let counting: Void = database.writing { t in
        try t.lock(.client("me"))
        try t.execute(
          "INSERT INTO client_tries (client, full_at) VALUES ('me', $1)",
          [.int(now.milliseconds + 60_000)])
        try t.execute(
          """
          INSERT INTO wrong_password (announcement, client, tries, tried_at, locked_until)
          VALUES ($1, 'me', 5, $2, $3)
          """, [.text(id), .int(now.milliseconds), .int(now.milliseconds + 60_000)])
        begun.finish()
        // Gives the other store enough time to read the recorded tries.
        usleep(300_000)
      }
      for await _ in begin {}
      await found.refuses(.throttled(until: now.addingTimeInterval(12))) {
        try await stores[1].authorize(id: id, managementPassword: "p", client: "me")
      }
      try await counting
    },
    Self("A short code exists once its announcement is listed, whatever becomes of it then") {
      place, found in
      let store = try place.open()
      let made = try await store.create(
        report(), idempotencyKey: UUID(), managementPassword: "p"
      ).announcement
      found.equal(made.details.shortCode, nil)
      let stored = try place.ways.photos().catalog.database.rows(
        "SELECT short_code FROM announcement", [])
      let code = stored.first?.text(0) ?? ""
      await found.refuses(.notFound(id: code)) { try await store.id(shortCode: code) }
      let other = try await place.publish(report())
      let listed = other.details.shortCode ?? ""
      for id in [made.id, other.id] {
        _ = try await store.close(id: id, managementPassword: "p", client: nil)
      }
      await found.refuses(.notFound(id: code)) { try await store.id(shortCode: code) }
      try await store.erase(id: made.id, managementPassword: "p", client: nil)
      await found.refuses(.notFound(id: code)) { try await store.id(shortCode: code) }
      place.wait(1)
      found.equal(try await store.forgetClosed(before: place.now, dryRun: false), 1)
      found.equal(try await store.id(shortCode: listed), other.id)
      try await store.erase(id: other.id, managementPassword: "p", client: nil)
      await found.refuses(.closed(id: listed)) { try await store.id(shortCode: listed) }
    },
  ]

  private static func mailed() -> NewAnnouncement {
    var report = report()
    report.email = "ola@example.org"
    return report
  }
}

extension AnnouncementPlace {
  /// Returns a store that mails codes, for a client.
  fileprivate func mailing(for client: String = "me") throws -> AnnouncementStore {
    try open().chargingCreations(to: client)
      .mailingCodes(with: MailLetters(Words(.en), base: "https://pets.example"))
  }

  /// Takes all waiting mails from the queue, as a server does.
  fileprivate func letters() async throws -> [Letter] {
    let queue = MailQueue(try ways.photos())
    var letters: [Letter] = []
    while let due = try await queue.reserveNext(at: now).due {
      letters.append(due.letter)
      try await queue.remove(due.id)
    }
    return letters
  }

  /// Takes all waiting mails and returns the codes in them.
  fileprivate func codes() async throws -> [String] {
    try await letters().flatMap { Self.codes(in: $0.text) }
  }

  fileprivate static func codes(in text: String) -> [String] {
    text.matches(of: #/[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}/#).map { String($0.output) }
  }
}
