import Announcements
import Foundation
import GRDB
import PhotoAttachments
import TestReports
import Testing

@testable import PhotoStoreSQLite
@testable import ReportFlow

@Suite("Waiting mails")
struct MailQueueTests {
  let cache: TestCache
  let queue: MailQueue
  let now = Date(timeIntervalSince1970: 1_800_000_000)

  init() throws {
    cache = try TestCache()
    queue = MailQueue(cache.photos)
  }

  private func add(_ address: String, at moment: Date) async throws {
    if try cache.announcementCount() == 0 {
      let place = try #require(Coordinate(latitude: 52, longitude: 21))
      try await insertAnnouncements([place], into: cache)
    }
    let about = try #require(
      try cache.database.read { try String.fetchOne($0, sql: "SELECT id FROM announcement") })
    let letter = Letter(to: address, subject: "s", text: "t", language: "en")
    let isAdded = try await cache.photos.catalog.database.writing {
      try MailQueue.add(
        letter, about: about, MailQueue.Count.publishing(to: address, for: nil),
        at: moment.milliseconds, $0)
    }
    #expect(isAdded)
  }

  @Test("Mails are taken one at a time, and reserved for longer than sending may take")
  func oneAtATime() async throws {
    try await add("one@example.org", at: now)
    try await add("other@example.org", at: now + 1)
    let other = MailQueue(cache.photos)
    #expect(try await queue.reserveNext(at: now + 2).due?.letter.to == "one@example.org")
    #expect(try await other.reserveNext(at: now + 3).due?.letter.to == "other@example.org")
    // Sending takes at most half a minute.
    for queue in [queue, other] { #expect(try await queue.reserveNext(at: now + 61).due == nil) }
    #expect(try await other.reserveNext(at: now + 62).due?.letter.to == "one@example.org")
  }

  @Test(
    "A subject is encoded in words of at most 75 characters, without splitting a character",
    arguments: [
      "Code", "To jest teraz adres e-mail Twojego zgłoszenia o zaginionym zwierzęciu",
      String(repeating: "ż", count: 100), "x" + String(repeating: "🐕", count: 60),
    ])
  func subject(_ text: String) throws {
    let letter = Letter(to: "ola@example.org", subject: text, text: "t", language: "pl")
    let message = String(
      decoding: letter.message(id: "1", from: "pets@example.org", at: now), as: UTF8.self)
    let lines = message.split(separator: "\r\n").map(String.init)
    #expect(lines.allSatisfy { $0.utf8.count <= 76 })
    let field = lines.drop { !$0.hasPrefix("Subject: ") }
      .enumerated().prefix { $0 == 0 || $1.hasPrefix(" ") }.map(\.element)
    let words = field.map { $0.split(separator: " ").last.map(String.init) ?? "" }
    #expect(words.allSatisfy { $0.utf8.count <= 75 })
    let decoded = try words.map { word in
      let base64 = try #require(word.wholeMatch(of: #/=\?UTF-8\?B\?(.+)\?=/#)).output.1
      let data = try #require(Data(base64Encoded: String(base64)))
      return try #require(String(validating: data, as: UTF8.self))
    }
    #expect(decoded.joined() == text)
  }

  @Test("A mail that can't be read is named and kept, and doesn't delay the others")
  func unreadable() async throws {
    try await add("one@example.org", at: now)
    let id = try cache.database.write { db in
      try db.execute(sql: "UPDATE mail SET sealed = x'00'")
      return try String.fetchOne(db, sql: "SELECT id FROM mail")
    }
    try await add("other@example.org", at: now + 1)
    let taken = try await queue.reserveNext(at: now + 2)
    #expect(taken.due == nil && taken.unreadable == id)
    #expect(try await queue.reserveNext(at: now + 2).due?.letter.to == "other@example.org")
    let count = try cache.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM mail") }
    #expect(count == 2)
    #expect(try await queue.reserveNext(at: now + 86_401).givenUp == 1)
  }
}
