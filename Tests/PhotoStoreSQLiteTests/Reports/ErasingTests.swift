import Announcements
import Foundation
import GRDB
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import TestReports
import Testing

@testable import PhotoStoreSQLite

/// What goes for good, what stays, and what the list says.
@Suite struct ErasingTests {
  /// Nothing of an erased announcement is left: no row, no draft, no picture, and no byte of it in the
  /// file, also of what was written over before.
  @MainActor @Test(arguments: [false, true])
  func erasedIsGoneFromTheDiskToo(_ isClosedBefore: Bool) async throws {
    let cache = try TestCache()
    let flow = try cache.flow()
    try await flow.complete(try .test(cache: cache))
    let facts = FlowFacts(today: day("2025-11-20"), now: Date())
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

  /// A cleared draft leaves nothing in the file either, without the file being rewritten.
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

  /// What the library or a draft shows stays theirs.
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
      await MainActor.run {
        let card = AnnouncementCardViewModel(
          made, readerLocation: nil, words: polish, onTap: { _ in })
        #expect(card.title == title && card.rewardText == "Nagroda: 100 zł")
      }
    }
  }
}
