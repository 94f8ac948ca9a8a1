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

  private func announce() async throws -> String {
    try await repository().create(
      report(), idempotencyKey: UUID(), managementPassword: "p"
    ).announcement.id
  }

  /// A stranger with many addresses fills no disk; whoever tried last is remembered.
  @Test func countsOfWrongPasswordsAreBounded() async throws {
    let id = try await announce()
    try cache.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
      INSERT INTO wrong_password (announcement, client, tries, tried_at)
      SELECT ?1, 'client ' || i, 1, i FROM n
      """, [id, ClientTries.maxKept])
    func clients(_ condition: String) throws -> Int? {
      try cache.database.read {
        try Int.fetchOne($0, sql: "SELECT count(*) FROM wrong_password WHERE \(condition)")
      }
    }
    for client in ["me", "client 10000", "me", "you"] {
      time.advance(1)
      await #expect(throws: AnnouncementError.wrongPassword) {
        try await repository().close(id: id, managementPassword: "wrong", client: client)
      }
    }
    #expect(try clients("true") == 10_000)
    #expect(try clients("client IN ('client 1', 'client 2')") == 0)
    #expect(try clients("client IN ('client 3', 'client 10000', 'me', 'you')") == 4)
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
        sql: "EXPLAIN QUERY PLAN " + RecordedAnnouncements.showsPhoto.replacing("$1", with: "?"),
        arguments: [""]
      ).map { $0["detail"] as String }.joined(separator: "\n")
    }
    #expect(plan.contains("USING INDEX announcement_by_photo (photo_id=?)"), "\(plan)")
  }
}
