import Announcements
import Foundation
import Logging
import ReportFlow
import TestReports
import Testing

/// The code of the module's front page, which `HouseTests` compares.
@Suite("The front page's code runs")
struct ReportExamples {
  @Test("A chip number in a draft that is stored")
  func report() async throws {
    let test = try TestCache()
    let (cache, logger) = (test.photos, test.logger)

    let drafts = DraftStore(cache, logger: logger)
    var draft = ReportDraft(id: "17", submissionKey: UUID())
    draft.handle(.edited(.typed(.chip, "616093400012345")))
    let revision = try await drafts.save(draft, over: nil, now: Date())

    let stored = try await drafts.load("17")
    #expect(stored?.revision == revision && stored?.draft.chipInput == "61609-34000-12345")
  }
}
