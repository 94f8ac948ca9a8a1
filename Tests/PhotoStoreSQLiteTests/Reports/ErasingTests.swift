import Announcements
import Foundation
import GRDB
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import ReportFlowViewModels
import TestReports
import Testing

@testable import PhotoStoreSQLite

/// Tests of what erasing deletes, what it keeps, and what lists show afterward.
@Suite struct ErasingTests {
  /// An erased announcement leaves no row, draft or picture, and no byte in the file, even of data that was overwritten
  /// before.
  @MainActor @Test(arguments: [false, true])
  func erasedIsGoneFromTheDiskToo(_ isClosedBefore: Bool) async throws {
    let cache = try TestCache()
    let flow = try cache.flow()
    try await flow.complete(try .test(cache: cache))
    let facts = FlowContext(today: day("2025-11-20"), now: Date())
    for number in 0..<8 {
      flow.handle(.edited(.name("Zażółć \(number)")))
      flow.handle(.edited(.phone("+48 600 555 01\(number)")))
    }
    flow.handle(.continued(.contact, facts))
    let blob = try #require(flow.photoAttachment?.cachedURL)
    let repository = cache.repository()
    let created = try await AnnouncementSubmissionService(to: repository).submit(flow)
    let (id, password) = (created.announcement.id, try #require(created.managementPassword))
    if isClosedBefore {
      _ = try await repository.close(id: id, managementPassword: password, client: "me")
    }
    await #expect(throws: AnnouncementError.wrongPassword) {
      try await repository.erase(id: id, managementPassword: "x", client: "me")
    }
    try await repository.erase(id: id, managementPassword: password, client: "me")
    await #expect(throws: AnnouncementError.closed(id: id)) {
      try await repository.announcement(id: id)
    }
    #expect(try await cache.store.ids().isEmpty)
    #expect(try await cache.photos.photos().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: blob.path))
    let file = try Data(contentsOf: cache.url.appending(path: "database/catalog.sqlite"))
    for secret in ["600 555", "Zażółć", password, id] {
      #expect(file.range(of: Data(secret.utf8)) == nil, "\(secret)")
    }
  }

  @Test(
    "Unfinished uploads of an announcement end with it, but those of others don't",
    arguments: ["owner", "operator", "hide"])
  func uploads(_ act: String) async throws {
    let cache = try TestCache()
    let repository = cache.repository()
    let id = try await cache.publish(report(), in: repository, password: "p").id
    try cache.database.write { db in
      try db.execute(
        sql: """
          INSERT INTO report_draft (id, content, updated_at, announcement_id, is_submitted)
          VALUES ('mine', '{}', 0, ?, 1), ('theirs', '{}', 0, NULL, 0)
          """, arguments: [id])
    }
    let folder = UploadFolder(beside: cache.photos.folder)
    _ = try folder.make()
    let owners = [
      Upload.owner(announcement: id), Upload.owner(draft: "mine"), Upload.owner(draft: "theirs"),
      Upload.owner(announcement: UUID().uuidString.lowercased()),
    ]
    for owner in owners {
      let record = UploadRecord(
        owner: owner, client: "::1", length: 9, hasLength: true, fileName: nil, created: Date())
      try folder.create(UploadToken.new(), record)
    }
    // A link and a damaged record don't show whose upload it is, so they stay.
    let stray = folder.path + "/" + UploadToken.new() + ".json"
    try Data("{".utf8).write(to: URL(filePath: stray))
    switch act {
    case "owner": try await repository.erase(id: id, managementPassword: "p", client: nil)
    case "operator": try await repository.erase(id: id)
    default: try await repository.hide(id: id, reason: "spam")
    }
    let left = try folder.entries().filter { $0.kind == .record }
      .compactMap { try folder.record($0.token)?.owner }
    #expect(left.sorted() == owners.suffix(2).sorted())
    #expect(try folder.entries().filter { $0.kind == .data }.count == 2)
    #expect(FileManager.default.fileExists(atPath: stray))
  }

  @Test("An announcement whose uploads can't be deleted stays")
  func undeletableUploads() async throws {
    let cache = try TestCache()
    let repository = cache.repository()
    let id = try await cache.publish(report(), in: repository, password: "p").id
    let (folder, token) = (UploadFolder(beside: cache.photos.folder), UploadToken.new())
    _ = try folder.make()
    let record = UploadRecord(
      owner: Upload.owner(announcement: id), client: "::1", length: 9, hasLength: true,
      fileName: nil, created: Date())
    try folder.create(token, record)
    try folder.removeData(token)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/" + token, withIntermediateDirectories: false)
    await #expect(throws: StoreError.self) {
      try await repository.erase(id: id, managementPassword: "p", client: nil)
    }
    #expect(try await repository.announcement(id: id).status == .lost)
  }

  /// A cleared draft leaves no data in the file either, and the file isn't rewritten.
  @MainActor @Test func clearedIsGoneFromTheFile() async throws {
    let cache = try TestCache()
    let flow = try cache.flow()
    for number in 0..<20 {
      flow.handle(.edited(.phone("+48 600 555 0\(number)")))
      flow.handle(
        .edited(
          .additionalDescription(String(repeating: "sekret ", count: number * 3))))
    }
    try await flow.clear()
    let file = try Data(contentsOf: cache.url.appending(path: "database/catalog.sqlite"))
    for secret in ["600 555", "sekret"] {
      #expect(file.range(of: Data(secret.utf8)) == nil, "\(secret)")
    }
  }

  /// A photo that the library or a draft shows is kept.
  @Test func erasingLeavesAPhotoThatADraftShows() async throws {
    let cache = try TestCache()
    let made = try await cache.publish(report(), in: cache.repository(), password: "p")
    try await cache.repository().erase(id: made.id, managementPassword: "p", client: "me")
    #expect(try await cache.photos.canContinue(draft: "album"))
  }

  @Test func rewardAndNameAreWhatTheReporterSaid() async throws {
    let cache = try TestCache()
    for (name, species, shown, title) in [
      ("Dog", "dog", "Dog", "Dog"), (nil, "dog", "Dog", "Pies bez imienia"),
      ("Other", "rodent", "Other", "Other"),
      (nil, "rabbit", "Rabbit", "Królik bez imienia"), ("Max", "cat", "Max", "Max"),
    ] as [(String?, String, String, String)] {
      var report = NewAnnouncement(
        species: species, breed: "B", sex: .male, dateOfDisappearance: day("2025-11-20"),
        ownerName: "Ola", ownerPhone: "1234567")
      (report.petName, report.texts[.reward]) = (name, "100 zł")
      let made = try await cache.publish(report, in: cache.repository())
      #expect(made.petName == shown && made.details.petNameGiven == (name != nil))
      #expect(made.details.texts[.reward] == "100 zł")
      let card = AnnouncementCard(made, readerLocation: nil, words: polish)
      #expect(card.title == title && card.rewardText == "Nagroda: 100 zł")
    }
  }
}
