import Foundation
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite
import ReportFlow
import StoreConformance
import TestReports
import Testing
import Records

@Suite struct SQLiteDraftsTests {
  @Test("The database keeps every rule of drafts", arguments: DraftStorageRule.all)
  func rules(_ rule: DraftStorageRule) async throws {
    let cache = try TestCache()
    let place = DraftPlace(
      open: { RecordedDrafts(try Self.open(cache.url)) },
      touchPhoto: { draft, moment in
        let photos = try Self.open(cache.url, now: { moment })
        try await photos.save(draft: draft) { () throws(PhotoError) in
          try PhotoPipeline(decoders: nil).prepare(testImage("one-pixel.gif"))
        }
      },
      beginPhoto: { _ = try Self.open(cache.url).catalog.begin(draft: $0, at: Date()) },
      hasPhoto: { try await Self.open(cache.url).load(draft: $0) != nil },
      announcements: { cache.repository(now: $0) })
    #expect(await rule.findings(in: place).isEmpty)
  }

  private static func open(
    _ url: URL, now: @escaping @Sendable () -> Date = { Date() }
  ) throws -> PhotoAttachmentCache {
    try .open(CacheFolder(path: url.path), decoders: nil, now: now)
  }

  @Test("A draft of the first form, which had no revision, is written over like any other")
  func anOldRowIsWrittenOver() throws {
    let cache = try TestCache()
    try cache.putOldDraft("{}", as: "old")
    #expect(try cache.drafts.draft("old") == DraftRecord(content: "{}", revision: 0))
    let revision = try #require(
      try cache.drafts.write("[]", of: "old", over: 0, at: Date()))
    #expect(revision > 0)
    #expect(try cache.drafts.write("", of: "old", over: 0, at: Date()) == nil)
  }
}
