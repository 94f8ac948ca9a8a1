import Announcements
import Foundation
import Logging
import PhotoAttachments
import PhotoStoreSQLite
import ReportFlow
import Testing

/// The code of the module's front page, which `HouseTests` compares.
@Suite("The front page's code runs")
struct StoreExamples {
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "reports-\(UUID().uuidString)")

  @Test("Drafts and announcements beside the photos")
  func open() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let logger = Logger(label: "example")
    let folder = CacheFolder(path: folder.path)

    let cache = try await PhotoAttachmentCache.open(folder, tables: [.reports])
    let drafts = DraftStore(cache, logger: logger)
    let announcements = AnnouncementStore(cache, logger: logger)

    #expect(try await drafts.ids().isEmpty)
    #expect(try await announcements.announcements(matching: AnnouncementListQuery()).isEmpty)
  }
}
