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
  private var places: [PasswordQueue.Place] = []

  init() throws { cache = try TestCache() }

  /// As after a restart: nothing is remembered.
  private func repository() -> AnnouncementStore {
    AnnouncementStore(
      cache.photos, logger: cache.logger, now: time.now, passwordCost: 10)
  }

  private func announce() async throws -> String {
    try await repository().create(
      report(), idempotencyKey: UUID(), managementPassword: "p"
    ).announcement.id
  }

  private func tries() throws -> Int? {
    try cache.database.read { try Int.fetchOne($0, sql: "SELECT sum(tries) FROM wrong_password") }
  }

  private func fill(_ repository: AnnouncementStore) throws {
    for _ in 0..<PasswordQueue.maxPlaces {
      places.append(try repository.passwords.enter(nil, isGuess: false))
    }
  }

  @Test func authorizingTellsOwnersFromOthersAndCountsTheirTries() async throws {
    let id = try await announce()
    let repository = repository()
    try await repository.authorize(id: id, managementPassword: "p", client: "me")
    try await repository.authorize(id: id, managementPassword: "p", client: nil)
    #expect(try tries() == nil)
    for unknown in ["x", "", id + "\0", "\0"] {
      await #expect(throws: AnnouncementError.notFound(id: unknown)) {
        try await repository.authorize(id: unknown, managementPassword: "p", client: "me")
      }
    }
    for _ in 1...6 {
      await #expect(throws: AnnouncementError.wrongPassword) {
        try await repository.authorize(id: id, managementPassword: "wrong", client: "me")
      }
    }
    await #expect(throws: AnnouncementError.throttled(until: instant("2025-11-20T11:00:12Z"))) {
      try await self.repository().authorize(id: id, managementPassword: "p", client: "me")
    }
    // The right one is remembered: it costs nothing.
    try await repository.authorize(id: id, managementPassword: "p", client: "me")
    #expect(try tries() == nil)
  }

  @Test func whatWasVerifiedOrMadeIsNotHashedAgain() async throws {
    let (id, photo) = (try await announce(), try await cache.albumPhoto())
    let repository = repository()
    try await repository.authorize(id: id, managementPassword: "p", client: "me")
    try fill(repository)
    let shown = try await repository.attachPhoto(
      photo, to: id, managementPassword: "p", client: "me")
    #expect(shown.details.photoID == photo.id)
    await #expect(throws: AnnouncementError.crowded) {
      try await repository.authorize(id: id, managementPassword: "wrong", client: "me")
    }
    // After a while it is hashed again.
    time.advance(VerifiedPasswords.lifetime)
    await #expect(throws: AnnouncementError.crowded) {
      try await repository.authorize(id: id, managementPassword: "p", client: "me")
    }
    let maker = self.repository()
    let made = try await maker.create(
      report("Rex"), idempotencyKey: UUID(), managementPassword: "q")
    try fill(maker)
    try await maker.authorize(id: made.announcement.id, managementPassword: "q", client: "me")
  }

  @Test func whoFindsTheLineFullIsNotCounted() async throws {
    let id = try await announce()
    let repository = repository()
    try fill(repository)
    for password in ["wrong", "p", "wrong", "wrong", "wrong", "wrong"] {
      await #expect(throws: AnnouncementError.crowded) {
        try await repository.close(id: id, managementPassword: password, client: "me")
      }
    }
    #expect(try tries() == nil)
    repository.passwords.leave(places.removeLast())
    // A place is given back whatever comes of it.
    for _ in 1...3 {
      await #expect(throws: AnnouncementError.wrongPassword) {
        try await repository.close(id: id, managementPassword: "wrong", client: "me")
      }
    }
    #expect(try tries() == 3)
    _ = try await repository.close(id: id, managementPassword: "p", client: "me")
  }

  /// One client's guesses take an eighth of the queue and all it sends a quarter, whoever else waits.
  @Test func clientsShareTheQueue() throws {
    let (queue, share) = (repository().passwords, PasswordQueue.maxPlacesOfClient)
    let full = AnnouncementError.throttled(until: time.now().addingTimeInterval(1))
    let guesses = try (0..<share / 2).map { _ in try queue.enter("a", isGuess: true) }
    #expect(throws: full) { try queue.enter("a", isGuess: true) }
    let others = try (0..<share / 2).map { _ in try queue.enter("a", isGuess: false) }
    #expect(throws: full) { try queue.enter("a", isGuess: false) }
    queue.leave(guesses[0])
    _ = try queue.enter("a", isGuess: true)
    #expect(throws: full) { try queue.enter("a", isGuess: true) }
    queue.leave(others[0])
    _ = try queue.enter("a", isGuess: false)
    for client in ["b", "c", "d"] {
      for _ in 0..<share { _ = try queue.enter(client, isGuess: false) }
    }
    #expect(throws: AnnouncementError.crowded) { try queue.enter("e", isGuess: false) }
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

  /// SQLite would see the id before the zero byte, and find it.
  @Test func anIDWithAZeroByteIsNobodys() async throws {
    let id = try await announce()
    await #expect(throws: AnnouncementError.notFound(id: id + "\0x")) {
      try await repository().announcement(id: id + "\0x")
    }
  }
}
