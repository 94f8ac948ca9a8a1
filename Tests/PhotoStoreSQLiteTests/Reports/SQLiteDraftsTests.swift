import Foundation
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite
import ReportFlow
import StoreConformance
import TestReports
import TestStores
import Testing

@Suite struct SQLiteDraftsTests {
  @Test("The database keeps every rule of drafts", arguments: DraftStorageRule.all)
  func rules(_ rule: DraftStorageRule) async throws {
    let cache = try TestCache()
    #expect(await rule.findings(in: Self.place(cache)).isEmpty)
  }

  @Test("The rules detect every fault of a database", arguments: DatabaseFault.ofDrafts)
  func aBrokenDatabaseIsNoticed(_ fault: DatabaseFault) async throws {
    var found: [String] = []
    for rule in DraftStorageRule.all where found.isEmpty {
      let cache = try TestCache()
      found += await rule.findings(in: Self.place(cache, breaking: fault))
    }
    #expect(!found.isEmpty)
    #expect(fault.found.count == fault.edits.count, "each edit changes something")
  }

  private static func place(_ cache: TestCache, breaking fault: DatabaseFault? = nil) -> DraftPlace
  {
    @Sendable func open(
      now: @escaping @Sendable () -> Date = { Date() }
    ) throws -> PhotoAttachmentCache {
      let opened = try PhotoAttachmentCache.opened(
        CacheFolder(path: cache.url.path), decoding: .inProcess, now: now, tables: [.reports])
      guard let fault else { return opened }
      return PhotoAttachmentCache(
        opened.folder, catalog: Catalog(FaultyDatabase(opened.catalog.store, breaking: fault)),
        blobs: opened.blobs, policy: opened.policy, pool: opened.pool, decoding: .inProcess,
        now: now,
        newID: { UUID() }, logger: cache.logger)
    }
    return DraftPlace(
      open: { RecordedDrafts(try open()) },
      touchPhoto: { draft, moment in
        let photos = try open(now: { moment })
        try await photos.save(draft: draft) {
          try PhotoPipeline(decoding: .inProcess).prepare(testImage("one-pixel.gif"))
        }
      },
      beginPhoto: { _ = try open().catalog.begin(draft: $0, at: Date()) },
      hasPhoto: { try await open().load(draft: $0) != nil },
      announcements: { cache.repository(now: $0) })
  }
}
