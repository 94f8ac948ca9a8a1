import Announcements
import Foundation
import GRDB
import PhotoAttachments
import TestReports
import Testing

@testable import PhotoStoreSQLite
@testable import ReportFlow

@Suite("Mails that wait")
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
      try MailQueue.add(letter, about: about, for: nil, at: moment.milliseconds, $0)
    }
    #expect(isAdded)
  }

  @Test("They are taken one at a time, and reserved for longer than sending may take")
  func oneAtATime() async throws {
    try await add("one@example.org", at: now)
    try await add("other@example.org", at: now + 1)
    let other = MailQueue(cache.photos)
    #expect(try await queue.take(at: now + 2).due?.letter.to == "one@example.org")
    #expect(try await other.take(at: now + 3).due?.letter.to == "other@example.org")
    // Sending takes half a minute at most.
    for queue in [queue, other] { #expect(try await queue.take(at: now + 61).due == nil) }
    #expect(try await other.take(at: now + 62).due?.letter.to == "one@example.org")
  }

  @Test("One that can't be read is named, stays, and keeps none of the others waiting")
  func unreadable() async throws {
    try await add("one@example.org", at: now)
    let id = try cache.database.write { db in
      try db.execute(sql: "UPDATE mail SET sealed = x'00'")
      return try String.fetchOne(db, sql: "SELECT id FROM mail")
    }
    try await add("other@example.org", at: now + 1)
    let taken = try await queue.take(at: now + 2)
    #expect(taken.due == nil && taken.unreadable == id)
    #expect(try await queue.take(at: now + 2).due?.letter.to == "other@example.org")
    let count = try cache.database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM mail") }
    #expect(count == 2)
    #expect(try await queue.take(at: now + 86_401).givenUp == 1)
  }
}
