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

  /// Returns a stored photo for announcements to show.
  private func photo(_ draft: String = "album") async throws -> AnnouncementPhoto {
    let photos = try database.photos(cache)
    if try await photos.load(draft: draft) == nil {
      try await photos.save(draft: draft) {
        try PhotoPipeline(decoding: .inProcess).prepare(testImage("one-pixel.gif"))
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

  @Test("A host's database gains tables of reports from a server, and the host keeps their photos")
  func gaining() async throws {
    let host = try database.photos(cache, tables: [])
    let tables =
      "SELECT count(*) FROM pg_tables WHERE tablename IN ('announcement', 'report_draft')"
    #expect(try database.sql(tables) == "0")
    let made = try await publish(report(), in: repository())
    #expect(try database.sql(tables) == "2")
    for host in [host, try database.photos(cache, tables: [])] {
      try await host.remove(draft: "album")
      #expect(try await host.verify(all: true).isClean)
      #expect(cache.files.count == 2)
      _ = try await photo()
    }
    #expect(try await repository().announcement(id: made.id).details.photoID != nil)
  }

  @Test("A repair that changes the bytes of a photo changes those of its announcement")
  func followsPhoto() async throws {
    let repository = try repository()
    let made = try await publish(report(), in: repository)
    try database.sql("UPDATE photo SET \"blobSHA256\" = repeat('a', 64)")
    #expect(
      try await repository.announcement(id: made.id).details.photoSHA256
        == String(repeating: "a", count: 64))
  }

  @Test(
    "Unfinished uploads of an announcement end with it, but those of others don't",
    arguments: ["owner", "operator", "hide"])
  func uploads(_ act: String) async throws {
    let repository = try repository()
    let id = try await publish(report(), in: repository).id
    try database.sql(
      """
      INSERT INTO report_draft (id, content, updated_at, announcement_id, is_submitted)
      VALUES ('mine', '{}', 0, '\(id)', true), ('theirs', '{}', 0, NULL, false)
      """)
    let uploads = UploadRules(PostgresUploads(try database.store(), folder: cache.folder))
    let owners = [
      Upload.owner(announcement: id), Upload.owner(draft: "mine"), Upload.owner(draft: "theirs"),
      Upload.owner(announcement: UUID().uuidString.lowercased()),
    ]
    for owner in owners {
      let token = try uploads.create(owner: owner, client: "::1", length: 9, fileName: nil).token
      guard case .writer(let writer) = try uploads.append(token, owner: owner, at: 0) else {
        throw UploadError.notFound
      }
      try [UInt8](repeating: 1, count: 5).withUnsafeBytes { try writer.write($0) }
      _ = try writer.sync()
      writer.close()
    }
    switch act {
    case "owner": try await repository.erase(id: id, managementPassword: "p", client: nil)
    case "operator": try await repository.erase(id: id)
    default: try await repository.hide(id: id, reason: "spam")
    }
    let left = try database.sql("SELECT string_agg(owner, ' ' ORDER BY owner) FROM upload")
    #expect(left == owners.suffix(2).sorted().joined(separator: " "))
    #expect(try database.sql("SELECT count(DISTINCT upload) FROM upload_piece") == "2")
  }

  @Test("A key has one password, which differs in every store")
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
