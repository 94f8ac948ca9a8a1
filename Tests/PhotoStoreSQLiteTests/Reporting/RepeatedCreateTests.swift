import Announcements
import Foundation
import GRDB
import PhotoAttachments
import ReportFlow
import TestReports
import Testing

@testable import PhotoStoreSQLite
@testable import TestStores

/// Creating under a key that was used before.
@Suite struct RepeatedCreateTests {
  let cache: TestCache
  let key = UUID()

  init() throws { cache = try TestCache() }

  private func repository() -> AnnouncementStore {
    AnnouncementStore(
      cache.photos, logger: cache.logger, now: TestTime().now,
      passwordCost: 10)
  }

  @discardableResult
  private func create(
    _ report: NewAnnouncement, in repository: AnnouncementStore
  ) async throws -> CreatedAnnouncement {
    try await repository.create(report, idempotencyKey: key, managementPassword: "p")
  }

  @Test func anotherReportUnderAKnownKeyIsRefused() async throws {
    let repository = repository()
    let first = try await create(report(at: point(52.2297, 21.0122)), in: repository)
    #expect(try await create(report(at: point(52.2297, 21.0122)), in: repository) == first)
    var others = [
      report("Rex", at: point(52.2297, 21.0122)), report(at: point(52.2297, 21.0123)), report(),
    ]
    others.append(report(at: point(52.2297, 21.0122)))
    others[3].email = "ola@example.org"
    for other in others {
      await #expect(throws: AnnouncementError.idempotencyMismatch) {
        try await create(other, in: repository)
      }
    }
    #expect(try cache.announcementCount() == 1)
    #expect(try await repository.announcement(id: first.announcement.id) == first.announcement)
  }

  /// Hashing is the dear part: what needs none does not wait for it.
  @Test func aRepeatIsLookedUpBeforeAnythingIsHashed() async throws {
    let repository = repository()
    let first = try await create(report(), in: repository)
    for _ in 0..<PasswordQueue.maxPlaces {
      _ = try repository.passwords.enter(nil, isGuess: false)
    }
    #expect(try await create(report(), in: repository) == first)
    await #expect(throws: AnnouncementError.idempotencyMismatch) {
      try await create(report("Rex"), in: repository)
    }
    // Only what is new has to be hashed.
    await #expect(throws: AnnouncementError.crowded) {
      try await repository.create(report(), idempotencyKey: UUID(), managementPassword: "p")
    }
    #expect(try cache.announcementCount() == 1)
  }

  @Test func thePasswordOfAKeyIsTheSameAfterARestartAndOnlyThere() async throws {
    let password = try await repository().managementPassword(idempotencyKey: "\(key)")
    #expect(password.wholeMatch(of: /([2-9A-HJKMNP-Z]{4}-){2}[2-9A-HJKMNP-Z]{4}/) != nil)
    #expect(try await repository().managementPassword(idempotencyKey: "\(key)") == password)
    #expect(try await repository().managementPassword(idempotencyKey: "\(UUID())") != password)
    let other = try TestCache()
    #expect(try await other.repository().managementPassword(idempotencyKey: "\(key)") != password)
  }
}
