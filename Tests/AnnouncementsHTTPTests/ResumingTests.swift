import Announcements
import AnnouncementsHTTP
import Foundation
import Synchronization
import TestReports
import Testing

/// Photos over connections that break and to servers that die.
@Suite("An upload survives")
struct ResumingTests {
  private let server: TestServer

  init() throws { server = try TestServer() }

  private func make() async throws -> (id: String, password: String) {
    let made = try await server.repository().create(
      report(), idempotencyKey: UUID(), managementPassword: "ours")
    return (made.announcement.id, try #require(made.managementPassword))
  }

  /// Expects the picture that an uninterrupted upload of the same photo gives.
  private func expectSamePicture(
    _ announcement: Announcement, as photo: AnnouncementPhoto
  ) async throws {
    let (id, password) = try await make()
    let direct = try await server.repository().attachPhoto(
      photo, to: id, managementPassword: password, client: nil)
    #expect(direct.details.photoSHA256 != nil)
    #expect(direct.details.photoSHA256 == announcement.details.photoSHA256)
  }

  @Test("An upload whose connection is cut in each piece continues from the bytes that arrived")
  func cut() async throws {
    let (id, password) = try await make()
    let photo = try server.photo()
    let cuts = [700_000, 900_000, 300_000, 1, 600_000]
    let proxy = try CuttingProxy(to: server.port, cuts: cuts)
    defer { proxy.end() }
    let shown = try await server.repository(through: proxy.port).attachPhoto(
      photo, to: id, managementPassword: password, client: nil)
    #expect(proxy.cutsLeft == 0 && proxy.counts.connections > cuts.count)
    // Few bytes are sent twice: only headers, and those in transit when the connection was cut.
    let size = try photo.file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    #expect(proxy.counts.bytes < size + 600_000, "\(proxy.counts)")
    try await expectSamePicture(shown, as: photo)
    let notes = try String(contentsOf: server.notes, encoding: .utf8)
    #expect(notes == "{}")
  }

  @Test("A server that is killed during an upload and started again receives the rest")
  func killedServer() async throws {
    let (id, password) = try await make()
    let photo = try server.photo()
    let proxy = try CuttingProxy(to: server.port)
    defer { proxy.end() }
    let reached = AsyncStream<Void>.makeStream()
    proxy.after(1_500_000) {
      reached.continuation.yield(())
      reached.continuation.finish()
      usleep(20_000)
    }
    let repository = try server.repository(through: proxy.port)
    async let shown = repository.attachPhoto(
      photo, to: id, managementPassword: password, client: nil)
    for await _ in reached.stream {}
    server.kill()
    try server.start()
    try await expectSamePicture(await shown, as: photo)
  }

  @Test("An upload that a program gave up continues in its next run")
  func nextRun() async throws {
    let (id, password) = try await make()
    let photo = try server.photo()
    let proxy = try CuttingProxy(to: server.port, cuts: [2_000_000, 400_000])
    await #expect(throws: AnnouncementError.self) {
      try await server.repository(through: proxy.port, waits: []).attachPhoto(
        photo, to: id, managementPassword: password, client: nil)
    }
    let first = proxy.counts.bytes
    let shown = try await server.repository(through: proxy.port).attachPhoto(
      photo, to: id, managementPassword: password, client: nil)
    let size = try photo.file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
    #expect(proxy.counts.bytes - first < size, "\(first) \(proxy.counts)")
    try await expectSamePicture(shown, as: photo)
    proxy.end()
  }

  @Test("An upload that the server forgot begins anew")
  func forgotten() async throws {
    let (id, password) = try await make()
    let photo = try server.photo()
    let address = try #require(ServerAddress("http://127.0.0.1:\(server.port)"))
    let place = "\(address)/api/v1/announcements/\(id)"
    let note: [String: Any] = [
      place: [
        "address": place + "/uploads/0123456789abcdef0123456789abcdef", "sha256": photo.sha256,
        "begun": Date().timeIntervalSinceReferenceDate,
      ]
    ]
    try JSONSerialization.data(withJSONObject: note).write(to: server.notes)
    let shown = try await server.repository().attachPhoto(
      photo, to: id, managementPassword: password, client: nil)
    #expect(shown.photoUrl != nil)
  }

  @Test("A server without tus gets the whole photo, and again after a cut")
  func withoutTus() async throws {
    let (id, password) = try await make()
    let photo = try server.photo()
    let proxy = try CuttingProxy(
      to: server.port, cuts: [900_000], replacing: ("/uploads HTTP", "/nothing HTTP"))
    defer { proxy.end() }
    let shown = try await server.repository(through: proxy.port).attachPhoto(
      photo, to: id, managementPassword: password, client: nil)
    #expect(proxy.cutsLeft == 0)
    try await expectSamePicture(shown, as: photo)
    await #expect(throws: AnnouncementError.wrongPassword) {
      try await server.repository(through: proxy.port).attachPhoto(
        photo, to: id, managementPassword: "K7QM-2XWD-9RTA", client: nil)
    }
  }

  @Test("A lost response to the confirmed photo is requested again")
  func lostAnswers() async throws {
    let (id, password) = try await make()
    let file = server.work.appending(path: "small.png")
    try noisePNG(width: 60, height: 40, seed: 9).write(to: file)
    let photo = AnnouncementPhoto(id: UUID(), file: file, sha256: "9", uti: "public.png")
    // Each request is cut once at its first bytes and once near its end.
    let proxy = try CuttingProxy(to: server.port, cuts: [1, 250, 1, 400, 1])
    defer { proxy.end() }
    let waits = [Duration](repeating: .milliseconds(50), count: 8)
    let repository = try server.repository(through: proxy.port, waits: waits)
    let key = UUID()
    let made = try await repository.create(
      report("Rex"), idempotencyKey: key, managementPassword: "x")
    let again = try await server.repository().create(
      report("Rex"), idempotencyKey: key, managementPassword: "x")
    #expect(made == again)
    let shown = try await repository.attachPhoto(
      photo, to: id, managementPassword: password, client: nil)
    #expect(shown.photoUrl != nil)
  }
}
