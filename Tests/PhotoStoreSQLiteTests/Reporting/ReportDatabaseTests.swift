import Foundation
import GRDB
import Logging
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import TestReports
import Testing

@testable import PhotoStoreSQLite
@testable import TestStores

/// When the tables of reports are made, and when they are left alone.
@Suite struct ReportDatabaseTests {
  private let url = FileManager.default.temporaryDirectory
    .appending(path: "report-\(UUID().uuidString)")

  private func open() throws -> PhotoAttachmentCache {
    try PhotoAttachmentCache.open(CacheFolder(path: url.path), decoders: nil)
  }

  private func tables(_ photos: PhotoAttachmentCache) throws -> [String] {
    try photos.sqlite.read { db in
      try ["report_draft", "announcement", "wrong_password"].filter { try db.tableExists($0) }
    }
  }

  @Test("A cache that only keeps photos gets no tables of reports, also when asked for a draft")
  func askingMakesNothing() throws {
    defer { try? FileManager.default.removeItem(at: url) }
    let photos = try open()
    let drafts = RecordedDrafts(photos)
    #expect(try !drafts.isSubmitted("default"))
    #expect(try drafts.draft("default") == nil)
    #expect(try tables(photos).isEmpty)
    // Not even of a newer version's drafts, whose tables we do not know.
    try photos.sqlite.write {
      try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('report.99-later')")
    }
    #expect(try !drafts.isSubmitted("default"))
    #expect(throws: StoreError.database(what: "newer-version", detail: "")) {
      try drafts.write("{}", of: "default", over: nil, at: Date())
    }
    #expect(try tables(photos).isEmpty)
  }

  @Test("The first act makes them, be it of a draft or of announcements")
  func theFirstActMakesThem() async throws {
    defer { try? FileManager.default.removeItem(at: url) }
    let photos = try open()
    let drafts = RecordedDrafts(photos)
    #expect(try drafts.write("{}", of: "default", over: nil, at: Date()) != nil)
    #expect(try tables(photos).count == 3)
    try FileManager.default.removeItem(at: url)
    let others = try open()
    let repository = AnnouncementStore(
      others, logger: Logger(label: "test"))
    #expect(try await repository.withdraw(idempotencyKey: UUID(), credentials: nil) == nil)
    #expect(try tables(others).count == 3)
  }

  @Test("Many that begin at once on a new cache all get their tables")
  func manyAtOnce() async throws {
    defer { try? FileManager.default.removeItem(at: url) }
    let caches = try (0..<4).map { _ in try open() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, cache) in caches.enumerated() {
        for draft in 0..<4 {
          group.addTask {
            let wrote = try RecordedDrafts(cache).write(
              "{}", of: "\(index) \(draft)", over: nil, at: Date())
            #expect(wrote != nil)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try RecordedDrafts(try open()).ids(untouchedSince: nil).count == 16)
  }

  @Test("What is deleted through any of our acts is overwritten in the file")
  func deletedIsOverwritten() throws {
    let cache = try TestCache()
    let isOn = try cache.database.read { try Bool.fetchOne($0, sql: "PRAGMA secure_delete") }
    #expect(isOn == true)
  }

  @Test func aDatabaseOfANewerVersionIsRefusedAndLeftAlone() throws {
    let cache = try TestCache()
    try cache.execute("INSERT INTO grdb_migrations VALUES ('report.99-later')")
    let later = try PhotoAttachmentCache.open(CacheFolder(path: cache.url.path))
    #expect(throws: StoreError.database(what: "newer-version", detail: "")) {
      try ReportDatabase(later).prepare()
    }
    // The photos' tables are not newer, and stay usable.
    #expect(try later.catalog.attachment(draft: "x") == nil)
    _ = try PhotoAttachmentCache.open(CacheFolder(path: cache.url.path))
  }
}
