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
      try await photos.save(draft: draft) {
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
