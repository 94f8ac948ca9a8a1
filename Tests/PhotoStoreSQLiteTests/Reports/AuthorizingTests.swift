import Announcements
import Foundation
import GRDB
import PhotoAttachments
import ReportFlow
import TestReports
import Testing

@testable import PhotoStoreSQLite
@testable import TestStores

/// Who may act on an announcement, and what asking costs.
@Suite final class AuthorizingTests {
  let cache: TestCache
  let time = TestTime()

  init() throws { cache = try TestCache() }

  /// As after a restart: nothing is remembered.
  private func repository() -> AnnouncementStore {
    AnnouncementStore(
      cache.photos, logger: cache.logger, now: time.now)
  }

  @Test func anOpenAnnouncementShowsItsPhotoAndNoOther() async throws {
    let repository = repository()
    let photo = try await cache.albumPhoto()
    #expect(try await !repository.shows(photo: photo.id))
    let shown = try await cache.publish(report(), in: repository, password: "p")
    #expect(shown.details.photoID == photo.id)
    #expect(
      try await repository.announcements(matching: .defaultQuery(location: nil))
        .map(\.details.photoID) == [photo.id])
    let wire = String(decoding: try JSONEncoder().encode(shown), as: UTF8.self)
    #expect(!wire.uppercased().contains(photo.id.uuidString))
    #expect(try await repository.shows(photo: photo.id))
    #expect(try await !repository.shows(photo: UUID()))
    let closed = try await repository.close(id: shown.id, managementPassword: "p", client: "me")
    #expect(closed.status == .closed)
    #expect(try await repository.announcement(id: shown.id).status == .closed)
    #expect(try await !repository.shows(photo: photo.id))
    let plan = try cache.database.read {
      try Row.fetchAll(
        $0,
        sql: "EXPLAIN QUERY PLAN " + AnnouncementStore.showsPhoto.replacing("$1", with: "?"),
        arguments: [""]
      ).map { $0["detail"] as String }.joined(separator: "\n")
    }
    #expect(plan.contains("USING INDEX announcement_by_photo (photo_id=?)"), "\(plan)")
  }
}
