import Announcements
import Foundation
import Logging
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import StoreConformance
import TestPostgres
import TestStores
import Testing

@testable import PhotoStorePostgres
@testable import TestReports

@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct PostgresAnnouncementTests {
  let cache = TemporaryCache()
  let database: TestDatabase
  let time = TestTime()
  let log = LogRecorder()

  init() throws { database = try TestDatabase() }

  private func repository() throws -> AnnouncementStore {
    try database.announcements(
      cache, logger: Logger(label: "test") { [log] _ in log.handler }, now: time.now)
  }

  @Test("PostgreSQL keeps every rule of announcements", arguments: AnnouncementRule.all)
  func rules(_ rule: AnnouncementRule) async throws {
    let place = AnnouncementPlace(
      .init(
        open: { try database.announcements(cache, now: $0) },
        photos: { try database.photos(cache) },
        drafts: { RecordedDrafts(try database.photos(cache)) },
        change: { _ = try database.sql($0) },
        hinder: { try $0 ? database.hinder(reports: true) : database.letWrite() },
        cut: { try database.cutConnections() }))
    let findings = await rule.findings(in: place)
    #expect(findings == [])
  }

  /// A stored photo for announcements to show.
  private func photo(_ draft: String = "album") async throws -> AnnouncementPhoto {
    let photos = try database.photos(cache)
    if try await photos.load(draft: draft) == nil {
      try await photos.save(draft: draft) { () throws(PhotoError) in
        try PhotoPipeline(decoders: nil).prepare(testImage("one-pixel.gif"))
      }
    }
    let photo = try #require(try await photos.load(draft: draft))
    return AnnouncementPhoto(
      id: photo.id, file: photo.cachedURL, sha256: photo.blob.sha256, uti: photo.uti)
  }

  @discardableResult
  private func publish(
    _ report: NewAnnouncement, in repository: AnnouncementStore,
    password: String = "p"
  ) async throws -> Announcement {
    let made = try await repository.create(
      report, idempotencyKey: UUID(), managementPassword: password)
    return try await repository.attachPhoto(
      try await photo(), to: made.announcement.id, managementPassword: password, client: nil)
  }

  @Test("Lists come in the order that was asked for, and closed announcements leave them")
  func orders() async throws {
    let repository = try repository()
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
      try await publish(report(name), in: repository)
      time.advance(1)
    }
    func names(_ query: AnnouncementListQuery) async throws -> String {
      try await repository.announcements(matching: query).map(\.petName).joined()
    }
    #expect(try await names(.landingPageQuery(location: nil)) == "gfedc")
    #expect(try await names(.defaultQuery(location: nil)) == "gfedcba")
    #expect(try await names(AnnouncementListQuery(limit: 2, sortBy: .createdAtAscending)) == "ab")
    #expect(try await names(AnnouncementListQuery(limit: 0)) == "")
    let newest = try #require(
      try await repository.announcements(matching: .defaultQuery(location: nil)).first)
    for _ in 1...2 {
      let closed = try await repository.close(
        id: newest.id, managementPassword: "p", client: "me")
      #expect(closed.status == .closed)
    }
    #expect(try await names(.landingPageQuery(location: nil)) == "fedcb")
    // A row that breaks a rule is passed over and does not shorten the list.
    try database.sql("UPDATE announcement SET contact_phone = 'call me' WHERE pet_name = 'f'")
    #expect(try await names(.landingPageQuery(location: nil)) == "edcba")
    #expect(log.all.contains("warning: announcement skipped"))
  }

  @Test("The nearest come first as a scan of all would give them, those without a place last")
  func nearest() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(state: seed)
    let repository = try repository()
    let shown = try await photo()
    var places = [point(90, 0), point(-90, 10), point(0, 180), point(0, -180)]
    for _ in 0..<80 {
      places.append(
        point(
          .random(in: -90...90, using: &generator), .random(in: -180...180, using: &generator)))
      places.append(
        point(.random(in: 52...53, using: &generator), .random(in: 20...21, using: &generator)))
    }
    let rows = places.enumerated().map { number, place in
      """
      ('\(UUID().uuidString)', '\(UUID().uuidString)', '', 'dog', 'Lost', \(place.latitude),
      \(place.longitude), \(GeoCell.code(of: place)), 'Ola', '1234567', \(number), \(number), '',
      '\(shown.id.uuidString)')
      """
    }
    try database.sql(
      """
      INSERT INTO announcement (id, idempotency_key, fingerprint, species, status, latitude,
        longitude, cell, contact_name, contact_phone, created_at, updated_at, password_hash,
        photo_id)
      VALUES \(rows.joined(separator: ","))
      """)
    try await publish(report("none"), in: repository)
    for reader in [point(52.5, 20.5), point(0, 179), point(-80, 3)] {
      for range in [nil, 30, 3000.0] {
        let list = try await repository.announcements(
          matching: AnnouncementListQuery(
            limit: 7, sortBy: .distanceFromUser, location: reader, range: range))
        let expected = places.map { reader.distance(to: $0) }.sorted()
          .filter { $0 <= range ?? .infinity }.prefix(7)
        #expect(list.compactMap { $0.distance(from: reader) } == Array(expected), "seed \(seed)")
      }
    }
    let all = try await repository.announcements(
      matching: AnnouncementListQuery(sortBy: .distanceFromUser, location: point(0, 0)))
    #expect(all.count == places.count + 1 && all.last?.petName == "none")
  }

  @Test("An announcement keeps its photo, whatever becomes of the draft, until it is erased")
  func keepsPhoto() async throws {
    let repository = try repository()
    let made = try await publish(report(), in: repository)
    let photos = try database.photos(cache)
    let shown = try await photo()
    try await photos.clear(draft: "album")
    #expect(try photos.catalog.photo(id: shown.id.uuidString) != nil)
    #expect(FileManager.default.fileExists(atPath: shown.file.path))
    let draft = RecordedDrafts(try database.photos(cache))
    _ = try draft.write(
      #"{"submission":{"announcementID":"\#(made.id)","isComplete":true}}"#, of: "mine",
      over: nil, at: Date())
    try await repository.erase(id: made.id, managementPassword: "p", client: "me")
    #expect(try photos.catalog.photo(id: shown.id.uuidString) == nil)
    #expect(!FileManager.default.fileExists(atPath: shown.file.path))
    #expect(try draft.draft("mine") == nil)
    await #expect(throws: AnnouncementError.closed(id: made.id)) {
      try await repository.announcement(id: made.id)
    }
  }

  @Test("A repair that gives a photo other bytes gives them to its announcement")
  func followsPhoto() async throws {
    let repository = try repository()
    let made = try await publish(report(), in: repository)
    try database.sql("UPDATE photo SET \"blobSHA256\" = repeat('a', 64)")
    #expect(
      try await repository.announcement(id: made.id).details.photoSHA256
        == String(repeating: "a", count: 64))
  }

  @Test("The password of a key is one, and of no other store")
  func derived() async throws {
    let key = UUID()
    let password = try await repository().managementPassword(idempotencyKey: "\(key)")
    #expect(try await repository().managementPassword(idempotencyKey: "\(key)") == password)
    #expect(try await repository().managementPassword(idempotencyKey: "\(UUID())") != password)
    let elsewhere = try TestDatabase()
    #expect(
      try await elsewhere.announcements(cache).managementPassword(idempotencyKey: "\(key)")
        != password)
  }
}
