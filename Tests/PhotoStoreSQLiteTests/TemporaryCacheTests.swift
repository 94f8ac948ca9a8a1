import Foundation
import PhotoAttachments
import PhotoIngestion
import PhotoStoreSQLite
import TestPictures
import Testing

@Suite("A temporary cache for tests of hosts")
struct TemporaryCacheTests {
  @Test("The cache attaches a photo without a decoder process, and its folder is deleted with it")
  func temporary() async throws {
    let folder = try await Self.attach()
    // A thread of the pool may keep the cache for a moment longer.
    let end = ContinuousClock.now + .seconds(60)
    while FileManager.default.fileExists(atPath: folder.path), .now < end {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }

  private static func attach() async throws -> CacheFolder {
    let cache = try await PhotoAttachmentCache.temporary()
    let image = try #require(TestImage.accepted.first { $0.file == "portrait-phone.heic" })
    let photo = try await cache.attach(image.source, draft: "17")
    #expect(FileManager.default.fileExists(atPath: photo.cachedURL.path))
    #expect(try await cache.load(draft: "17") == photo.photo)
    let folder = cache.folder
    try await cache.close()
    return folder
  }
}
