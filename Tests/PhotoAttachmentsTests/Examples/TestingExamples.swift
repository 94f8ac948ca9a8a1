import Foundation
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite
import TestPictures
import Testing

/// The code of the article "Testing".
@Suite("The tests of the article run")
struct TestingExamples {
  private let file = TestImage.folder.appending(path: "portrait-phone.heic")

  @Test func aPetGetsItsPhoto() async throws {
    let cache = try await PhotoAttachmentCache.temporary()
    let rex = try Data(contentsOf: file)
    let photo = try await cache.attach(
      .data(rex, name: "rex.heic"), to: "17")
    #expect(photo.fileName == "rex.heic")
    #expect(try await cache.photo(of: "17") != nil)
  }

  @Test func textIsNoPhoto() async throws {
    let cache = try await PhotoAttachmentCache.temporary()
    let text = Data("no photo".utf8)
    await #expect(throws: StoreError.self) {
      try await cache.attach(.data(text), to: "17")
    }
    #expect(
      try await cache.failure(of: "17") == "unsupported-format")
    #expect(try await cache.status(of: "17") == .empty)
  }

  @Test func aPhotoIsKept() async throws {
    let cache = try await PhotoAttachmentCache.temporary()
    let rex = try Data(contentsOf: file)
    try await cache.attach(.data(rex), to: "17")
    let year: TimeInterval = 365 * 24 * 3600
    let then = Date(timeIntervalSinceNow: year)
    _ = try await cache.sweep(now: then)
    #expect(try await cache.photo(of: "17") != nil)
    _ = try await cache.sweep(draftsOlderThan: .seconds(year / 2), now: then)
    #expect(try await cache.photo(of: "17") == nil)
  }

  @Test func aPhotoSurvivesARestart() async throws {
    let rex = try Data(contentsOf: file)
    let path = NSTemporaryDirectory() + UUID().uuidString
    let folder = CacheFolder(path: path)
    var cache = try await PhotoAttachmentCache.open(
      folder, decoding: .inProcess)
    try await cache.attach(.data(rex), to: "17")
    try await cache.close()
    cache = try await PhotoAttachmentCache.open(
      folder, decoding: .inProcess)
    #expect(try await cache.photo(of: "17") != nil)
    try FileManager.default.removeItem(atPath: path)
  }
}
