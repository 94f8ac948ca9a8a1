import Announcements
import AnnouncementsHTTP
import Foundation
import Logging
import ReportFlow
import TestReports
import Testing

/// The rules of the protocol, against the built program's server.
@Suite("Announcements of a server")
struct RepositoryTests {
  private let server: TestServer
  private let repository: HTTPAnnouncementRepository

  init() throws {
    server = try TestServer()
    repository = try server.repository()
  }

  /// Returns a small photo, which is sent in one piece.
  private func photo() throws -> AnnouncementPhoto {
    let file = server.work.appending(path: "small.png")
    try noisePNG(width: 60, height: 40, seed: 7).write(to: file)
    return AnnouncementPhoto(id: UUID(), file: file, sha256: "small", uti: "public.png")
  }

  @discardableResult
  private func publish(
    _ report: NewAnnouncement
  ) async throws -> (announcement: Announcement, password: String) {
    let made = try await repository.create(
      report, idempotencyKey: UUID(), managementPassword: "ours")
    let password = try #require(made.managementPassword)
    let listed = try await repository.attachPhoto(
      try photo(), to: made.announcement.id, managementPassword: password, client: nil)
    return (listed, password)
  }

  @Test("The same key makes one announcement, with the server's password")
  func repeated() async throws {
    let key = UUID()
    let first = try await repository.create(
      report(), idempotencyKey: key, managementPassword: "ours")
    let again = try await repository.create(
      report(), idempotencyKey: key, managementPassword: "other")
    #expect(first == again && first.managementPassword != "ours")
    #expect(first.managementPassword?.count == 19)
    await #expect(throws: AnnouncementError.idempotencyMismatch) {
      try await repository.create(
        report("Rex"), idempotencyKey: key, managementPassword: "ours")
    }
    let other = try await repository.create(
      report(), idempotencyKey: UUID(), managementPassword: "ours")
    #expect(other.announcement.id != first.announcement.id)
    #expect(other.managementPassword != first.managementPassword)
  }

  @Test("A report arrives in full, and is listed once it has a photo")
  func listed() async throws {
    var full = report("Łatek", at: point(52.2297, 21.0122))
    (full.age, full.description, full.texts[.reward]) = (4, "boi się \"burzy\"\n", "100 zł")
    (full.email, full.microchipNumber) = ("z@example.com", "616093900012345")
    let made = try await repository.create(
      full, idempotencyKey: UUID(), managementPassword: "ours")
    let query = AnnouncementListQuery.defaultQuery(location: nil)
    #expect(try await repository.announcements(matching: query).isEmpty)
    let (near, _) = try await publish(full)
    #expect(near.petName == "Łatek" && near.details.age == 4)
    #expect(near.details.texts[.reward] == "100 zł")
    #expect(near.photoUrl != nil && near.location?.latitude == 52.2297)
    let (far, _) = try await publish(report("Max", at: point(50.06, 19.94)))
    let list = try await repository.announcements(matching: query)
    #expect(list.map(\.id) == [far.id, near.id] && list.last == near)
    let warsaw = point(52.2, 21)
    let nearest = try await repository.announcements(
      matching: AnnouncementListQuery(
        limit: 1, sortBy: .distanceFromUser, location: warsaw, range: 0.000_01 + 500))
    #expect(nearest.map(\.id) == [near.id])
    #expect(try #require(nearest.first?.distance(from: warsaw)) < 10)
    await #expect(throws: AnnouncementError.locationRequired) {
      try await repository.announcements(
        matching: AnnouncementListQuery(sortBy: .distanceFromUser))
    }
    await #expect(throws: AnnouncementError.duplicateMicrochip) {
      try await repository.create(full, idempotencyKey: UUID(), managementPassword: "ours")
    }
    #expect(try await repository.announcement(id: made.announcement.id).photoUrl == nil)
  }

  @Test("A list continues over the pages that a server sends")
  func longList() async throws {
    for number in 0..<102 { try await publish(report("\(number)")) }
    let names = (0..<102).reversed().map { "\($0)" }
    for limit in [nil, 101] {
      let list = try await repository.announcements(matching: .init(limit: limit))
      #expect(list.map(\.petName) == Array(names.prefix(limit ?? .max)))
    }
    let outcome = try server.run([
      "announcements", "--limit", "101", "--json", "--server", server.address.description,
    ])
    #expect(outcome.exitCode == 0 && outcome.out.split(separator: "\n").count == 101)
  }

  @Test("A list has no more entries than its limit, although a server sends more")
  func serverThatSendsMore() async throws {
    for number in 0..<3 { try await publish(report("\(number)")) }
    let proxy = try CuttingProxy(to: server.port, replacing: ("limit=1", "limit=9"))
    let list = try await server.repository(through: proxy.port)
      .announcements(matching: .init(limit: 1))
    #expect(list.map(\.petName) == ["2"])
    proxy.end()
  }

  @Test("An invalid report fails with the names of its fields")
  func invalid() async throws {
    var wrong = report()
    (wrong.ownerPhone, wrong.breed, wrong.age) = ("12", " ", 99)
    do {
      _ = try await repository.create(wrong, idempotencyKey: UUID(), managementPassword: "x")
      Issue.record("taken")
    } catch AnnouncementError.invalid(let fields) {
      #expect(Set(fields) == ["ownerPhone", "breed", "age"])
    }
  }

  @Test("Only the password closes an announcement, and a second attempt reports that it is closed")
  func closing() async throws {
    let (announcement, password) = try await publish(report())
    let id = announcement.id
    await #expect(throws: AnnouncementError.wrongPassword) {
      try await repository.close(id: id, managementPassword: "K7QM-2XWD-9RTA", client: nil)
    }
    await #expect(throws: AnnouncementError.wrongPassword) {
      try await repository.attachPhoto(
        try photo(), to: id, managementPassword: "K7QM-2XWD-9RTA", client: nil)
    }
    let closed = try await repository.close(id: id, managementPassword: password, client: nil)
    #expect(closed.status == .closed && closed.id == id)
    let query = AnnouncementListQuery.defaultQuery(location: nil)
    #expect(try await repository.announcements(matching: query).isEmpty)
    await #expect(throws: AnnouncementError.closed(id: id)) {
      try await repository.announcement(id: id)
    }
    await #expect(throws: AnnouncementError.closed(id: id)) {
      try await repository.close(id: id, managementPassword: password, client: nil)
    }
    await #expect(throws: AnnouncementError.wrongPassword) {
      try await repository.close(id: id, managementPassword: "K7QM-2XWD-9RTA", client: nil)
    }
    await #expect(throws: AnnouncementError.closed(id: id)) {
      try await repository.attachPhoto(
        try photo(), to: id, managementPassword: password, client: nil)
    }
  }

  @Test("After too many wrong passwords the error has the time of the next try")
  func throttled() async throws {
    let (announcement, _) = try await publish(report())
    var until: Date?
    for _ in 0..<8 where until == nil {
      do {
        _ = try await repository.close(
          id: announcement.id, managementPassword: "K7QM-2XWD-9RTA", client: nil)
      } catch AnnouncementError.throttled(let moment) {
        until = moment
      } catch AnnouncementError.wrongPassword {}
    }
    #expect(try #require(until) > Date())
  }

  @Test(
    "An ID that no announcement can have isn't found, and doesn't change the address of the request",
    arguments: [
      "00000000-0000-4000-8000-000000000000", "x", "", "..", "a/b", "a?b", "a:b", "ą", "a b",
      "%2e%2e", String(repeating: "a", count: 65),
    ])
  func notFound(_ id: String) async throws {
    await #expect(throws: AnnouncementError.notFound(id: id)) {
      try await repository.announcement(id: id)
    }
    await #expect(throws: AnnouncementError.notFound(id: id)) {
      try await repository.close(id: id, managementPassword: "x", client: nil)
    }
    await #expect(throws: AnnouncementError.notFound(id: id)) {
      try await repository.attachPhoto(
        try photo(), to: id, managementPassword: "x", client: nil)
    }
  }

  @Test("An announcement without a photo is withdrawn; one with a photo stays")
  func withdrawing() async throws {
    let key = UUID()
    let made = try await repository.create(
      report(), idempotencyKey: key, managementPassword: "ours")
    let password = try #require(made.managementPassword)
    let credentials = AnnouncementCredentials(
      id: made.announcement.id, managementPassword: password)
    #expect(try await repository.withdraw(idempotencyKey: key, credentials: nil) == nil)
    #expect(try await repository.withdraw(idempotencyKey: key, credentials: credentials) == nil)
    await #expect(throws: AnnouncementError.closed(id: credentials.id)) {
      try await repository.announcement(id: credentials.id)
    }
    #expect(try await repository.withdraw(idempotencyKey: key, credentials: credentials) == nil)
    let (listed, secret) = try await publish(report())
    let owner = AnnouncementCredentials(id: listed.id, managementPassword: secret)
    #expect(try await repository.withdraw(idempotencyKey: UUID(), credentials: owner) == listed)
  }

  @Test("A photo that the server rejects fails like any other rejected photo")
  func refusedPhoto() async throws {
    let made = try await repository.create(
      report(), idempotencyKey: UUID(), managementPassword: "ours")
    let file = server.work.appending(path: "text.png")
    for (content, code) in [("no photo at all", "unsupported-format"), ("", "empty")] {
      try Data(content.utf8).write(to: file)
      let photo = AnnouncementPhoto(id: UUID(), file: file, sha256: content, uti: "public.png")
      do {
        _ = try await repository.attachPhoto(
          photo, to: made.announcement.id,
          managementPassword: made.managementPassword ?? "", client: nil)
        Issue.record("taken")
      } catch {
        #expect("\(error)".contains(code == "empty" ? "empty" : "unsupported-format"))
      }
    }
    await #expect(throws: AnnouncementError.missingPhoto) {
      try await repository.attachPhoto(
        AnnouncementPhoto(
          id: UUID(), file: server.work.appending(path: "none"), sha256: "", uti: ""),
        to: made.announcement.id, managementPassword: made.managementPassword ?? "", client: nil)
    }
  }

  @Test("A server that is down is reported after the last wait, with its address")
  func down() async throws {
    server.kill()
    let waits: [Duration] = [.zero, .milliseconds(100), .milliseconds(200)]
    let begin = ContinuousClock.now
    do {
      _ = try await server.repository(waits: waits).announcements(
        matching: .defaultQuery(location: nil))
      Issue.record("answered")
    } catch AnnouncementError.unavailable(let what) {
      #expect(what == "http://127.0.0.1:\(server.port) can't be reached")
    }
    #expect(ContinuousClock.now - begin > .milliseconds(300))
  }

  @Test(
    "A certificate that no authority signed is refused without a retry",
    .enabled(if: FileManager.default.isExecutableFile(atPath: TestServer.openssl.path)),
    .timeLimit(.minutes(30)))
  func certificate() async throws {
    let encrypted = try TestServer(isEncrypted: true)
    #expect(encrypted.address.description.hasPrefix("https://"))
    let refusing = HTTPAnnouncementRepository(
      encrypted.address, logger: Logger(label: "test"), waits: [.seconds(3600)])
    let expected = AnnouncementError.unavailable(
      "\(encrypted.address) has an invalid certificate")
    await #expect(throws: expected) {
      try await refusing.create(
        report(), idempotencyKey: UUID(), managementPassword: "ours")
    }
  }

  @Test("A photo that no announcement shows isn't reported as shown")
  func shows() async throws {
    #expect(try await repository.shows(photo: UUID()) == false)
  }
}
