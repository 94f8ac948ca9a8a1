import Announcements
import Foundation
import Logging
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import TestPostgres
import TestStores
import Testing

@testable import PhotoStorePostgres
@testable import TestReports

@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct PostgresAnnouncementTests {
  let cache = TemporaryCache()
  let database: TestDatabase
  let time = TestTime()
  let log = LogRecorder()

  init() throws { database = try TestDatabase() }

  private func repository() throws -> AnnouncementStore {
    try database.announcements(
      cache, logger: Logger(label: "test") { [log] _ in log.handler }, now: time.now)
  }

  /// A stored photo for announcements to show.
  private func photo(_ draft: String = "album") async throws -> AnnouncementPhoto {
    let photos = try database.photos(cache).photos
    if try await photos.load(draft: draft) == nil {
      try await photos.save(draft: draft) { () throws(PhotoError) in
        try PhotoPipeline(decoders: nil).prepare(testImage("one-pixel.gif"))
      }
    }
    let photo = try #require(try await photos.load(draft: draft))
    return AnnouncementPhoto(
      id: photo.id, file: photo.cachedURL, sha256: photo.blob.sha256, uti: photo.uti)
  }

  @discardableResult
  private func publish(
    _ report: NewAnnouncement, in repository: AnnouncementStore,
    password: String = "p"
  ) async throws -> Announcement {
    let made = try await repository.create(
      report, idempotencyKey: UUID(), managementPassword: password)
    return try await repository.attachPhoto(
      try await photo(), to: made.announcement.id, managementPassword: password, client: nil)
  }

  @Test("What was announced is found by its id, in the lists, and by whoever opens the database")
  func found() async throws {
    let repository = try repository()
    let made = try await publish(report("Rex", at: point(52, 21)), in: repository)
    let other = try self.repository()
    #expect(try await other.announcement(id: made.id) == made)
    #expect(try await other.announcements(matching: .landingPageQuery(location: nil)) == [made])
    #expect(try await other.shows(photo: try await photo().id))
    await #expect(throws: AnnouncementError.notFound(id: "x")) {
      try await repository.announcement(id: "x")
    }
  }

  @Test("A draft that held a photo for its announcement ends when that has it")
  func holders() async throws {
    let (photos, repository) = (try database.photos(cache).photos, try repository())
    let kept = try await photos.keep(draft: "held") { () throws(PhotoError) in
      try PhotoPipeline(decoders: nil).prepare(testImage("one-pixel.gif"))
    }
    let photo = AnnouncementPhoto(
      id: kept.id, file: kept.cachedURL, sha256: kept.blob.sha256, uti: kept.uti, holder: "held")
    let made = try await repository.create(
      report("Rex"), idempotencyKey: UUID(), managementPassword: "p")
    await #expect(throws: AnnouncementError.wrongPassword) {
      try await repository.attachPhoto(
        photo, to: made.announcement.id, managementPassword: "q", client: "me")
    }
    #expect(try await photos.load(draft: "held")?.id == kept.id)
    let shown = try await repository.attachPhoto(
      photo, to: made.announcement.id, managementPassword: "p", client: nil)
    #expect(shown.details.photoID == kept.id)
    #expect(try photos.catalog.attachment(draft: "held") == nil)
    #expect(try await photos.bytes(of: kept.photo.blob).isEmpty == false)
  }

  @Test("Ids are found by their beginning, in the order of their letters, closed ones too")
  func beginnings() async throws {
    let repository = try repository()
    var ids: [String] = []
    for name in ["a", "b", "c", "d"] {
      ids.append(try await publish(report(name), in: repository).id)
    }
    ids.sort()
    _ = try await repository.close(id: ids[2], managementPassword: "p", client: nil)
    #expect(try await repository.ids(beginning: "", limit: 9) == ids)
    #expect(try await repository.ids(beginning: "", limit: 3) == Array(ids.prefix(3)))
    for id in ids {
      let alike = ids.filter { $0.hasPrefix(id.prefix(2)) }
      #expect(try await repository.ids(beginning: String(id.prefix(2)), limit: 9) == alike)
      #expect(try await repository.ids(beginning: id + "0", limit: 9) == [])
    }
    for other in ["%", "_", "~"] {
      #expect(try await repository.ids(beginning: other, limit: 9) == [])
    }
  }

  @Test("Sixteen repeats of one create at once make one announcement with one password")
  func repeats() async throws {
    let (one, two, key) = (try repository(), try repository(), UUID())
    let made = try await withThrowingTaskGroup { group in
      for number in 0..<16 {
        group.addTask {
          try await (number % 2 == 0 ? one : two).create(
            report(), idempotencyKey: key, managementPassword: "p\(number)")
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(made.map(\.announcement.id)).count == 1)
    #expect(made.count { $0.managementPassword != nil } == 1)
    await #expect(throws: AnnouncementError.idempotencyMismatch) {
      try await one.create(report("Other"), idempotencyKey: key, managementPassword: "p")
    }
  }

  @Test("Lists come in the order that was asked for, and closed announcements leave them")
  func orders() async throws {
    let repository = try repository()
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
      try await publish(report(name), in: repository)
      time.advance(1)
    }
    func names(_ query: AnnouncementListQuery) async throws -> String {
      try await repository.announcements(matching: query).map(\.petName).joined()
    }
    #expect(try await names(.landingPageQuery(location: nil)) == "gfedc")
    #expect(try await names(.defaultQuery(location: nil)) == "gfedcba")
    #expect(try await names(AnnouncementListQuery(limit: 2, sortBy: .createdAtAscending)) == "ab")
    #expect(try await names(AnnouncementListQuery(limit: 0)) == "")
    let newest = try #require(
      try await repository.announcements(matching: .defaultQuery(location: nil)).first)
    for _ in 1...2 {
      let closed = try await repository.close(
        id: newest.id, managementPassword: "p", client: "me")
      #expect(closed.status == .closed)
    }
    #expect(try await names(.landingPageQuery(location: nil)) == "fedcb")
    // A row that breaks a rule is passed over and does not shorten the list.
    try database.sql("UPDATE announcement SET contact_phone = 'call me' WHERE pet_name = 'f'")
    #expect(try await names(.landingPageQuery(location: nil)) == "edcba")
    #expect(log.all.contains("warning: announcement skipped"))
  }

  @Test("The nearest come first as a scan of all would give them, those without a place last")
  func nearest() async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SeededGenerator(state: seed)
    let repository = try repository()
    let shown = try await photo()
    var places = [point(90, 0), point(-90, 10), point(0, 180), point(0, -180)]
    for _ in 0..<80 {
      places.append(
        point(
          .random(in: -90...90, using: &generator), .random(in: -180...180, using: &generator)))
      places.append(
        point(.random(in: 52...53, using: &generator), .random(in: 20...21, using: &generator)))
    }
    let rows = places.enumerated().map { number, place in
      """
      ('\(UUID().uuidString)', '\(UUID().uuidString)', '', 'dog', 'Lost', \(place.latitude),
      \(place.longitude), \(GeoCell.code(of: place)), 'Ola', '1234567', \(number), \(number), '',
      '\(shown.id.uuidString)')
      """
    }
    try database.sql(
      """
      INSERT INTO announcement (id, idempotency_key, fingerprint, species, status, latitude,
        longitude, cell, contact_name, contact_phone, created_at, updated_at, password_hash,
        photo_id)
      VALUES \(rows.joined(separator: ","))
      """)
    try await publish(report("none"), in: repository)
    for reader in [point(52.5, 20.5), point(0, 179), point(-80, 3)] {
      for range in [nil, 30, 3000.0] {
        let list = try await repository.announcements(
          matching: AnnouncementListQuery(
            limit: 7, sortBy: .distanceFromUser, location: reader, range: range))
        let expected = places.map { reader.distance(to: $0) }.sorted()
          .filter { $0 <= range ?? .infinity }.prefix(7)
        #expect(list.compactMap { $0.distance(from: reader) } == Array(expected), "seed \(seed)")
      }
    }
    let all = try await repository.announcements(
      matching: AnnouncementListQuery(sortBy: .distanceFromUser, location: point(0, 0)))
    #expect(all.count == places.count + 1 && all.last?.petName == "none")
  }

  @Test("Wrong passwords are counted by client, whichever server was asked, and at once")
  func throttled() async throws {
    let (one, two) = (try repository(), try repository())
    let id = try await one.create(
      report(), idempotencyKey: UUID(), managementPassword: "p"
    ).announcement.id
    let looked = await withTaskGroup { group in
      for number in 1...12 {
        group.addTask {
          do {
            _ = try await (number % 2 == 0 ? one : two).close(
              id: id, managementPassword: "wrong", client: "stranger")
            return true
          } catch { return error as? AnnouncementError == .wrongPassword }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(looked == 5)
    await #expect(throws: AnnouncementError.throttled(until: instant("2025-11-20T11:00:30Z"))) {
      try await one.close(id: id, managementPassword: "p", client: "stranger")
    }
    _ = try await two.close(id: id, managementPassword: "p", client: "owner")
  }

  @Test("An announcement keeps its photo, whatever becomes of the draft, until it is erased")
  func keepsPhoto() async throws {
    let repository = try repository()
    let made = try await publish(report(), in: repository)
    let photos = try database.photos(cache).photos
    let shown = try await photo()
    try await photos.clear(draft: "album")
    #expect(try photos.catalog.photo(id: shown.id.uuidString) != nil)
    #expect(FileManager.default.fileExists(atPath: shown.file.path))
    let draft = PostgresDrafts(try database.photos(cache).reports)
    _ = try draft.write(
      #"{"submission":{"announcementID":"\#(made.id)","isComplete":true}}"#, of: "mine",
      over: nil, at: Date())
    try await repository.erase(id: made.id, managementPassword: "p", client: "me")
    #expect(try photos.catalog.photo(id: shown.id.uuidString) == nil)
    #expect(!FileManager.default.fileExists(atPath: shown.file.path))
    #expect(try draft.draft("mine") == nil)
    await #expect(throws: AnnouncementError.notFound(id: made.id)) {
      try await repository.announcement(id: made.id)
    }
  }

  @Test("A chip is announced once at a time, and an unfinished announcement can be taken back")
  func chips() async throws {
    let repository = try repository()
    var chipped = report()
    chipped.microchipNumber = "123456789012345"
    let first = try await publish(chipped, in: repository)
    await #expect(throws: AnnouncementError.duplicateMicrochip) {
      try await repository.create(chipped, idempotencyKey: UUID(), managementPassword: "p")
    }
    _ = try await repository.close(id: first.id, managementPassword: "p", client: nil)
    let key = UUID()
    let half = try await repository.create(chipped, idempotencyKey: key, managementPassword: "p")
    #expect(try await repository.withdraw(idempotencyKey: key, credentials: nil) == nil)
    await #expect(throws: AnnouncementError.notFound(id: half.announcement.id)) {
      try await repository.announcement(id: half.announcement.id)
    }
  }

  @Test("A repair that gives a photo other bytes gives them to its announcement")
  func followsPhoto() async throws {
    let repository = try repository()
    let made = try await publish(report(), in: repository)
    try database.sql("UPDATE photo SET \"blobSHA256\" = repeat('a', 64)")
    #expect(
      try await repository.announcement(id: made.id).details.photoSHA256
        == String(repeating: "a", count: 64))
  }

  @Test("The password of a key is one, and of no other store")
  func derived() async throws {
    let key = UUID()
    let password = try await repository().managementPassword(idempotencyKey: key)
    #expect(try await repository().managementPassword(idempotencyKey: key) == password)
    #expect(try await repository().managementPassword(idempotencyKey: UUID()) != password)
    let elsewhere = try TestDatabase()
    #expect(
      try await elsewhere.announcements(cache).managementPassword(idempotencyKey: key) != password)
  }
}
