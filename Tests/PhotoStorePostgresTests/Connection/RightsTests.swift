import Announcements
import Foundation
import Logging
import PhotoAttachments
import PhotoStoreSQLite
import ReportFlow
import StoreConformance
import TestPostgres
import TestStores
import Testing

@testable import PhotoStorePostgres

/// Tests with a role that has only the rights in the article `ScalingOut`.
@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct RightsTests {
  private let database: TestDatabase
  /// The name is unique because roles belong to the whole server.
  private let role = "role" + UUID().uuidString.prefix(8).lowercased()

  init() throws {
    database = try TestDatabase()
    _ = try database.open()
    let article = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../Sources/PetSpotServer/PetSpotServer.docc/ScalingOut.md")
    let text = try String(contentsOf: article, encoding: .utf8)
    let grants = try #require(text.split(separator: "```sql\n").last?.split(separator: "```").first)
    try database.sql(String(grants).replacing("shelter", with: role))
  }

  @Test("Photos can be recorded, swept, verified and repaired with the documented rights")
  func photos() async throws {
    let cache = TemporaryCache()
    let (database, role) = (database, role)
    let admin = try StorePlace.postgres(database, cache)
    let place = StorePlace(
      open: {
        Stores(
          catalog: try database.open(as: role), storage: try FolderStorage.open(cache.folder))
      }, staged: admin.staged, loseRecord: admin.loseRecord, damage: admin.damage, breakdowns: [])
    let findings = await StoreShards.findings(in: place, cache.folder)
    #expect(findings == [])
  }

  @Test("Uploads and announcements work with the documented rights")
  func reports() async throws {
    let cache = TemporaryCache()
    try cache.folder.make()
    let (database, role) = (database, role)
    for rule in UploadRule.all.prefix(2) {
      let place = UploadPlace { limits, now in
        UploadRules(
          PostgresUploads(try database.store(as: role), folder: cache.folder), limits: limits,
          now: now)
      }
      let findings = await rule.findings(in: place)
      #expect(findings == [])
    }
    let photos = try database.photos(cache, as: role)
    let place = AnnouncementPlace(
      .init(
        open: { now in
          AnnouncementStore(
            photos, logger: Logger(label: "tests"), now: now)
        }, photos: { photos }, drafts: { RecordedDrafts(photos) },
        change: { _ = try database.sql($0) }, hinder: { _ in }))
    let life = AnnouncementRule.all.filter { "\($0)".contains("erased is gone with its draft") }
    #expect(life.count == 1)
    for rule in life {
      let findings = await rule.findings(in: place)
      #expect(findings == [])
    }
  }

  @Test("`doctor` reports whether the rights are present")
  func told() throws {
    let address = try PostgresAddress(database.url(of: role))
    #expect(try DatabaseFacts(address).mayWrite)
    try database.sql("REVOKE DELETE ON upload FROM \(role)")
    #expect(try !DatabaseFacts(address).mayWrite)
    try database.sql("REVOKE USAGE ON SCHEMA petspot FROM \(role)")
    let report = try DatabaseFacts(address)
    #expect(report.hasTables && !report.mayWrite)
  }
}
