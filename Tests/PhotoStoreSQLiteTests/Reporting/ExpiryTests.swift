import Foundation
import GRDB
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import TestReports
import Testing

/// Drafts nobody touches go, and those in use stay, words and photo alike (decision 12).
@MainActor @Suite struct ExpiryTests {
  private func age(_ cache: TestCache, _ table: String, _ column: String, days: Double) throws {
    let moment = (Date().timeIntervalSince1970 - days * 86_400) * 1000
    try cache.execute("UPDATE \(table) SET \(column) = ?", [Int64(moment)])
  }

  private var limit: Date { Date(timeIntervalSinceNow: -7 * 86_400) }

  @Test func untouchedDraftsExpireAndADryRunOnlyTells() async throws {
    let cache = try TestCache()
    try cache.flow("old").handle(.edited(.chip("1")))
    try age(cache, "report_draft", "updated_at", days: 8)
    try cache.flow("new").handle(.edited(.chip("2")))
    #expect(try await cache.store.expire(before: limit, dryRun: true) == 1)
    #expect(try await cache.store.ids() == ["old", "new"])
    #expect(try await cache.store.expire(before: limit, dryRun: false) == 1)
    #expect(try await cache.store.ids() == ["new"])
  }

  @Test func aDraftWhosePhotoIsInUseStays() async throws {
    let cache = try TestCache()
    let flow = try cache.flow()
    flow.handle(.edited(.chip("1")))
    try await attach(to: cache)
    try age(cache, "report_draft", "updated_at", days: 8)
    #expect(try await cache.store.expire(before: limit, dryRun: false) == 0)
    #expect(try await cache.store.ids() == ["default"])
    // With the photo as old as the words, both go; the photos' sweep counts the draft.
    try age(cache, "attachment", "updated_at", days: 8)
    #expect(try await cache.store.expire(before: limit, dryRun: false) == 0)
    #expect(try await cache.store.ids().isEmpty)
    #expect(try await cache.photos.sweep().removedDrafts == 1)
  }

  @Test func typingPutsOffTheExpiryOfThePhoto() async throws {
    let cache = try TestCache()
    try await attach(to: cache)
    try age(cache, "attachment", "updated_at", days: 8)
    try cache.flow().handle(.edited(.name("Jan")))
    #expect(try await cache.photos.sweep().removedDrafts == 0)
    #expect(try await cache.photos.canContinue(draft: "default"))
  }

  private func attach(to cache: TestCache) async throws {
    let source = testImage("one-pixel.gif")
    _ = try await cache.photos.save(draft: "default") { () throws(PhotoError) in
      try PhotoPipeline(decoders: nil).prepare(source)
    }
  }
}
