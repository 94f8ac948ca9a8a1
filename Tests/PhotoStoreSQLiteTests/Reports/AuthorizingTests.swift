import Announcements
import Foundation
import GRDB
import PhotoAttachments
import ReportFlow
import TestReports
import Testing

@testable import PhotoStoreSQLite
@testable import TestStores

/// Tests of who may change an announcement, and of the cost of wrong passwords.
@Suite final class AuthorizingTests {
  let cache: TestCache
  let time = TestTime()

  init() throws { cache = try TestCache() }

  /// Returns a new store without any memory, as after a restart.
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

  @Test("An owner's operation is refused without effect if the code was replaced in the meantime")
  func staleOwner() async throws {
    let repository = repository()
    let id = try await cache.publish(report(), in: repository, password: "p").id
    let owner = try await repository.authorize(id: id, managementPassword: "p", client: nil)
    try cache.database.write { db in
      try db.execute(
        sql: "UPDATE announcement SET password_hash = 'x' WHERE id = ?", arguments: [id])
    }
    let wrong = AnnouncementError.wrongPassword
    await #expect(throws: wrong) { try await repository.close(owner) }
    await #expect(throws: wrong) { try await repository.reopen(owner) }
    await #expect(throws: wrong) {
      try await repository.change(owner, client: nil) { $0.description = "Other" }
    }
    await #expect(throws: wrong) { try await repository.erase(owner) }
    #expect(try await repository.announcement(id: id).status != .closed)

    let unknown = AnnouncementError.notFound(id: id)
    try cache.database.write { db in
      try db.execute(sql: "DELETE FROM announcement WHERE id = ?", arguments: [id])
    }
    await #expect(throws: unknown) { try await repository.close(owner) }
    await #expect(throws: unknown) { try await repository.reopen(owner) }
    try await repository.erase(owner)
  }
}
