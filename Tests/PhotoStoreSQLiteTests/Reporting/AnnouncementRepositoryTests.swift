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
      try .open(CacheFolder(path: cache.url.path), decoders: nil)
    }
    let place = AnnouncementPlace(
      .init(
        open: { now in
          AnnouncementStore(
            try photos(), logger: cache.logger, now: now)
        }, photos: { try .open(CacheFolder(path: cache.url.path), decoders: nil) },
        drafts: { RecordedDrafts(try photos()) }, change: { try cache.execute($0) },
        hinder: { try cache.hinderReports($0) }))
    let findings = await rule.findings(in: place)
    #expect(findings == [])
  }

  @Test func createdIsFoundByIDAndListed() async throws {
    let cache = try TestCache()
    let repository = cache.repository(now: TestTime().now)
    let created = try await cache.publish(report(), in: repository)
    #expect(created.createdAt == instant("2025-11-20T11:00:00Z"))
    #expect(try await repository.announcement(id: created.id) == created)
    #expect(
      try await repository.announcements(matching: .landingPageQuery(location: nil)) == [created])
    await #expect(throws: AnnouncementError.notFound(id: "x")) {
      try await repository.announcement(id: "x")
    }
  }

  @Test func idsAreFoundByTheirBeginningClosedOnesToo() async throws {
    let cache = try TestCache()
    let repository = cache.repository()
    var ids: [String] = []
    for name in ["a", "b", "c", "d"] {
      ids.append(
        try await cache.publish(report(name), in: repository, password: "password").id)
    }
    ids.sort()
    _ = try await repository.close(id: ids[2], managementPassword: "password", client: nil)
    #expect(try await repository.ids(beginning: "", limit: 9) == ids)
    #expect(try await repository.ids(beginning: "", limit: 3) == Array(ids.prefix(3)))
    for id in ids {
      let alike = ids.filter { $0.hasPrefix(id.prefix(2)) }
      #expect(try await repository.ids(beginning: String(id.prefix(2)), limit: 9) == alike)
      #expect(try await repository.ids(beginning: id, limit: 9) == [id])
      #expect(try await repository.ids(beginning: id + "0", limit: 9) == [])
    }
    for other in ["%", "_", "~", ids[0].uppercased() + "x", "\0"] {
      #expect(try await repository.ids(beginning: other, limit: 9) == [])
    }
  }

  /// As a disk that failed can leave it: lists are read on another connection, which then waits for ever.
  @Test func listsAreAnsweredWhileTheFirstConnectionDoesNotLetGoOfItsLock() async throws {
    let cache = try TestCache()
    let repository = cache.repository()
    let id = try await cache.publish(report(), in: repository).id
    try cache.database.catalog.write { db in
      try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE; PRAGMA user_version = 1")
    }
    #expect(try await repository.announcement(id: id).id == id)
  }

  @Test func anInvalidReportIsRefusedWithAllItsFields() async throws {
    let cache = try TestCache()
    var bad = report(String(repeating: "x", count: 101), on: "2025-11-22")
    bad.ownerPhone = "1"
    await #expect(
      throws: AnnouncementError.invalid(["ownerPhone", "dateOfDisappearance", "petName"])
    ) {
      try await cache.repository(now: TestTime().now).create(
        bad, idempotencyKey: UUID(), managementPassword: "p")
    }
  }

  /// A repeat never changes the password, whoever asks: the first one keeps working.
  @Test func aRepeatedCreateIsOneAnnouncementWithTheFirstPassword() async throws {
    let cache = try TestCache()
    let (repository, key) = (cache.repository(), UUID())
    let first = try await repository.create(
      report(), idempotencyKey: key, managementPassword: "first")
    let same = try await repository.create(
      report(), idempotencyKey: key, managementPassword: "first")
    let other = try await repository.create(
      report(), idempotencyKey: key, managementPassword: "second")
    #expect(first == same && first.announcement == other.announcement)
    #expect(first.managementPassword == "first" && other.managementPassword == nil)
    let id = first.announcement.id
    await #expect(throws: AnnouncementError.wrongPassword) {
      try await repository.close(id: id, managementPassword: "second", client: "me")
    }
    _ = try await repository.close(id: id, managementPassword: "first", client: "me")
  }

  @Test func theSeedsOrdersLimitAndClosing() async throws {
    let cache = try TestCache()
    let time = TestTime()
    let repository = cache.repository(now: time.now)
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
      try await cache.publish(report(name), in: repository, password: "password \(name)")
      time.advance(1)
    }
    func names(_ query: AnnouncementListQuery) async throws -> String {
      try await repository.announcements(matching: query).map(\.petName).joined()
    }
    #expect(try await names(.landingPageQuery(location: nil)) == "gfedc")
    #expect(try await names(.defaultQuery(location: nil)) == "gfedcba")
    #expect(try await names(AnnouncementListQuery(limit: 2, sortBy: .createdAtAscending)) == "ab")
    #expect(try await names(AnnouncementListQuery(limit: 0)) == "")
    let all = try await repository.announcements(matching: .defaultQuery(location: nil))
    let newest = try #require(all.first)
    // Closed, it leaves every list and can still be looked up; twice is no error.
    for _ in 1...2 {
      let closed = try await repository.close(
        id: newest.id, managementPassword: "password g", client: "me")
      #expect(closed.status == .closed)
    }
    #expect(try await names(.landingPageQuery(location: nil)) == "fedcb")
    #expect(try await repository.announcement(id: newest.id).status == .closed)
  }

  @Test func distanceNeedsAPositionAndPutsThoseWithoutAPlaceLast() async throws {
    let cache = try TestCache()
    let repository = cache.repository()
    for (name, place) in [
      ("none", nil), ("far", point(50.0647, 19.945)), ("here", point(52.2297, 21.0122)),
      ("near", point(52.23, 21.02)),
    ] { try await cache.publish(report(name, at: place), in: repository) }
    let here = point(52.2297, 21.0122)
    func names(_ limit: Int?, _ range: Double?) async throws -> [String] {
      try await repository.announcements(
        matching: AnnouncementListQuery(
          limit: limit, sortBy: .distanceFromUser, location: here, range: range)
      ).map(\.petName)
    }
    #expect(try await names(nil, nil) == ["here", "near", "far", "none"])
    #expect(try await names(2, nil) == ["here", "near"])
    #expect(try await names(nil, 10) == ["here", "near"])
    #expect(try await names(nil, 300) == ["here", "near", "far"])
    let newest = AnnouncementListQuery(location: here, range: 10)
    #expect(
      try await repository.announcements(matching: newest).map(\.petName) == ["near", "here"])
    await #expect(throws: AnnouncementError.locationRequired) {
      try await repository.announcements(
        matching: AnnouncementListQuery(sortBy: .distanceFromUser))
    }
    let list = try await repository.announcements(matching: .landingPageQuery(location: here))
    #expect(list.map { $0.distance(from: here) }.contains(0))  // lesson P25
  }

  /// Rows that break a rule are passed over, logged, and do not shorten the list (decision 27).
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
      // Each try in a repository of its own, as after a restart.
      await #expect(throws: AnnouncementError.wrongPassword) {
        try await cache.repository(now: time.now).close(
          id: id, managementPassword: "wrong", client: "me")
      }
    }
    let repository = cache.repository(now: time.now)
    // Now even the right one has to wait.
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
    // A clock that is put back lets nothing last longer.
    time.advance(-3600)
    try await repository.authorize(id: id, managementPassword: password, client: "me")
    time.advance(3600)
    let closed = try await repository.close(
      id: id, managementPassword: password.lowercased().replacing("-", with: " "), client: "me")
    #expect(closed.status == .closed)
    // The right one sets the count back.
    await #expect(throws: AnnouncementError.wrongPassword) {
      try await repository.close(id: id, managementPassword: "wrong", client: "me")
    }
    _ = try await repository.close(id: id, managementPassword: password, client: "me")
  }

  /// Decision 35: a stranger's wrong passwords never keep the owner out.
  @Test func wrongPasswordsOfOthersLockNobodyElseOut() async throws {
    let cache = try TestCache()
    let repository = cache.repository(now: TestTime().now)
    let id = try await repository.create(
      report(), idempotencyKey: UUID(), managementPassword: "p"
    ).announcement.id
    for _ in 1...6 {
      await #expect(throws: AnnouncementError.wrongPassword) {
        try await repository.close(id: id, managementPassword: "wrong", client: "stranger")
      }
    }
    await #expect(throws: AnnouncementError.throttled(until: instant("2025-11-20T11:00:12Z"))) {
      try await repository.close(id: id, managementPassword: "q", client: "stranger")
    }
    await #expect(throws: AnnouncementError.wrongPassword) {
      try await repository.close(id: id, managementPassword: "wrong", client: "owner")
    }
    _ = try await repository.close(id: id, managementPassword: "p", client: "owner")
  }

  /// Many tries at once do not get around the count: each is counted before it is looked at.
  @Test func triesAtOnceAreCounted() async throws {
    let cache = try TestCache()
    let repository = cache.repository(now: TestTime().now)
    let id = try await repository.create(
      report(), idempotencyKey: UUID(), managementPassword: "p"
    ).announcement.id
    let looked = await withTaskGroup { group in
      for _ in 1...12 {
        group.addTask {
          do {
            _ = try await repository.close(id: id, managementPassword: "wrong", client: "me")
            return true
          } catch { return error as? AnnouncementError == .wrongPassword }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(looked == 6)
  }

  /// In a crowd as in a desert, by age within a range.
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

  @Test func aPhotoThatIsNotThereIsRefused() async throws {
    let cache = try TestCache()
    let repository = cache.repository()
    let created = try await repository.create(
      report(), idempotencyKey: UUID(), managementPassword: "p")
    let photo = AnnouncementPhoto(
      id: UUID(), file: cache.url, sha256: String(repeating: "0", count: 64), uti: "public.jpeg")
    await #expect(throws: AnnouncementError.missingPhoto) {
      try await repository.attachPhoto(
        photo, to: created.announcement.id, managementPassword: "p", client: "me")
    }
    await #expect(throws: AnnouncementError.wrongPassword) {
      try await repository.attachPhoto(
        photo, to: created.announcement.id, managementPassword: "wrong", client: "me")
    }
  }

  /// A full disk is a full disk, on every step.
  @Test func aFullDiskIsToldAsSuch() async throws {
    let cache = try TestCache()
    _ = try await cache.albumPhoto()
    let pages = try cache.database.read {
      try Int.fetchOne($0, sql: "PRAGMA page_count") ?? 0
    }
    try cache.photos.sqlite.queue.inDatabase {
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
