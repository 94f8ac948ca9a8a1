import Announcements
import Foundation
import Logging
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite
import ReportFlow
import ReportFlowViewModels
import TestReports
import Testing

/// The code of the module's front page, which `HouseTests` compares.
@Suite("The front page's code runs")
@MainActor struct ViewModelExamples {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "report-\(UUID().uuidString)")

  @Test("From a chip number to an announcement that is listed")
  func report() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let logger = Logger(label: "example")
    let cache = try await PhotoAttachmentCache.open(
      CacheFolder(path: folder.path), tables: [.reports], decoding: .inProcess)

    let announcements = AnnouncementStore(cache, logger: logger)
    let store = DraftStore(cache, logger: logger)
    let report = try ReportMissingPetFlowState(
      draft: "17", store: store, photos: cache, logger: logger)
    report.handle(.edited(.typed(.chip, "616093400012345")))

    #expect(report.draft.chipInput == "61609-34000-12345")
    try await report.complete(try .test(cache: TestCache()))

    let service = AnnouncementSubmissionService(to: announcements)
    let created = try await service.submit(report)
    let newest = try await announcements.announcements(
      matching: .landingPageQuery(location: nil))
    print(created.announcement.id, newest.count)

    #expect(newest == [created.announcement])
  }
}
