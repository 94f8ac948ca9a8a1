import Foundation
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import StoreConformance
import TestPostgres
import TestReports
import TestStores
import Testing

@testable import PhotoStorePostgres

@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct PostgresDraftsTests {
  @Test("PostgreSQL keeps every rule of drafts", arguments: DraftStorageRule.all)
  func rules(_ rule: DraftStorageRule) async throws {
    let (cache, database) = (TemporaryCache(), try TestDatabase())
    let place = DraftPlace(
      open: { RecordedDrafts(try database.photos(cache)) },
      touchPhoto: { draft, moment in
        let photos = try database.photos(cache, now: { moment })
        try await photos.save(draft: draft) {
          try PhotoPipeline(decoding: .inProcess).prepare(testImage("one-pixel.gif"))
        }
      },
      beginPhoto: {
        _ = try database.photos(cache).catalog.begin(draft: $0, at: Date())
      },
      hasPhoto: { try await database.photos(cache).load(draft: $0) != nil },
      announcements: { try database.announcements(cache, now: $0) })
    #expect(await rule.findings(in: place).isEmpty)
  }

  @Test("Values that the database can't store are reported, and change nothing")
  func zeroByte() throws {
    let (cache, database) = (TemporaryCache(), try TestDatabase())
    let drafts = RecordedDrafts(try database.photos(cache))
    let first = try #require(try drafts.write("{}", of: "a", over: nil, at: Date()))
    #expect(throws: StoreError.self) {
      try drafts.write("{\0}", of: "a", over: first, at: Date())
    }
    #expect(try drafts.draft("a") == DraftRecord(content: "{}", revision: first))
  }
}
