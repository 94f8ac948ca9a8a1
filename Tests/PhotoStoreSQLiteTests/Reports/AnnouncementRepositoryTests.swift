import Announcements
import Foundation
import GRDB
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import StoreConformance
import TestReports
import Testing

@testable import PhotoStoreSQLite
@testable import TestStores

@Suite struct AnnouncementRepositoryTests {
  @Test("The database keeps every rule of announcements", arguments: AnnouncementRule.all)
  func rules(_ rule: AnnouncementRule) async throws {
    let cache = try TestCache()
    @Sendable func photos() throws -> PhotoAttachmentCache {
      try .opened(CacheFolder(path: cache.url.path), decoding: .inProcess, tables: [.reports])
    }
    let place = AnnouncementPlace(
      .init(
        open: { now in
          AnnouncementStore(
            try photos(), logger: cache.logger, now: now)
        }, photos: photos,
        drafts: { RecordedDrafts(try photos()) }, change: { try cache.execute($0) },
        hinder: { try cache.hinderReports($0) }))
    let findings = await rule.findings(in: place)
    #expect(findings == [])
  }

  /// After a disk failure a connection can keep its lock, and reads on other connections would then wait without end.
  @Test func listsAreAnsweredWhileTheFirstConnectionDoesNotLetGoOfItsLock() async throws {
    let cache = try TestCache()
    let repository = cache.repository()
    let id = try await cache.publish(report(), in: repository).id
    try cache.database.write { db in
      try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA user_version = 1")
    }
    #expect(try await repository.announcement(id: id).id == id)
  }

  /// Lists skip and log rows that break a rule, and aren't shorter because of them (decision 27).
  @Test func invalidRowsAreSkippedAndLogged() async throws {
    let cache = try TestCache()
    let time = TestTime()
    let repository = cache.repository(now: time.now)
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
      time.advance(1)
      try await cache.publish(report(name, at: point(52, 21)), in: repository)
    }
    try cache.execute("UPDATE announcement SET contact_phone = 'call me' WHERE pet_name = 'g'")
    try cache.execute("UPDATE announcement SET latitude = 91 WHERE pet_name = 'f'")
    let newest = try await repository.announcements(matching: .landingPageQuery(location: nil))
    #expect(newest.map(\.petName) == ["e", "d", "c", "b", "a"])
    #expect(cache.log.all == ["warning: announcement skipped", "warning: announcement skipped"])
    let nearest = try await repository.announcements(
      matching: AnnouncementListQuery(
        limit: 5, sortBy: .distanceFromUser, location: point(52, 21)))
    #expect(nearest.map(\.petName) == ["e", "d", "c", "b", "a"])
  }

  // MARK: - The password

  @Test func wrongPasswordsAreThrottledAcrossRestarts() async throws {
    let cache = try TestCache()
    let time = TestTime()
    let password = "K7QM-2XWD-9RTA"
    let id = try await cache.repository(now: time.now).create(
      report(), idempotencyKey: UUID(), managementPassword: password
    ).announcement.id
    for _ in 1...6 {
      // Each try has a repository of its own, as after a restart.
      await #expect(throws: AnnouncementError.wrongPassword) {
        try await cache.repository(now: time.now).close(
          id: id, managementPassword: "wrong", client: "me")
      }
    }
    let repository = cache.repository(now: time.now)
    // After that, even the right password has to wait.
    await #expect(throws: AnnouncementError.throttled(until: instant("2025-11-20T11:00:12Z"))) {
      try await repository.close(id: id, managementPassword: password, client: "me")
    }
    time.advance(12)
    await #expect(throws: AnnouncementError.wrongPassword) {
      try await repository.close(id: id, managementPassword: "wrong", client: "me")
    }
    time.advance(11)
    await #expect(throws: AnnouncementError.throttled(until: instant("2025-11-20T11:00:24Z"))) {
      try await repository.close(id: id, managementPassword: password, client: "me")
    }
    // Setting the clock back doesn't extend a wait.
    time.advance(-3600)
    try await repository.authorize(id: id, managementPassword: password, client: "me")
    time.advance(3600)
    let closed = try await repository.close(
      id: id, managementPassword: password.lowercased().replacing("-", with: " "), client: "me")
    #expect(closed.status == .closed)
    // The right password resets the count.
    await #expect(throws: AnnouncementError.wrongPassword) {
      try await repository.close(id: id, managementPassword: "wrong", client: "me")
    }
    _ = try await repository.close(id: id, managementPassword: password, client: "me")
  }

  /// Lists by age within a range work in dense and in empty areas.
  @Test func byAgeWithinARange() async throws {
    let cache = try TestCache()
    let (crowd, far) = (point(52, 21), point(-33, 151))
    try await insertAnnouncements(
      [far, far] + Array(repeating: crowd, count: 1500) + [far], into: cache)
    func ages(_ place: Coordinate, _ sort: AnnouncementListQuery.SortOption) async throws -> [Int] {
      try await cache.repository().announcements(
        matching: AnnouncementListQuery(limit: 5, sortBy: sort, location: place, range: 5)
      ).map { Int($0.createdAt.milliseconds) }
    }
    #expect(try await ages(crowd, .createdAtDescending) == [1501, 1500, 1499, 1498, 1497])
    #expect(try await ages(crowd, .createdAtAscending) == [2, 3, 4, 5, 6])
    #expect(try await ages(far, .createdAtDescending) == [1502, 1, 0])
    #expect(try await ages(far, .createdAtAscending) == [0, 1, 1502])
  }

  /// Every step reports a full disk as such.
  @Test func aFullDiskIsToldAsSuch() async throws {
    let cache = try TestCache()
    _ = try await cache.albumPhoto()
    let pages = try cache.database.read {
      try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0
    }
    try await cache.photos.sqlite.writer.writeWithoutTransaction {
      try $0.execute(sql: "PRAGMA max_page_count = \(pages)")
    }
    var failures: [StoreError] = []
    for draft in 0..<200 where failures.isEmpty {
      var report = report()
      report.description = String(repeating: "x", count: 500)
      do {
        _ = try await cache.repository().create(
          report, idempotencyKey: UUID(), managementPassword: "p\(draft)")
      } catch {
        failures.append(try #require(error as? StoreError))
      }
    }
    guard case .storageFull = failures.first else {
      Issue.record("\(failures)")
      return
    }
  }
}
