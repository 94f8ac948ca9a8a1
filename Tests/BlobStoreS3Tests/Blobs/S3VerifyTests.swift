import Foundation
import PhotoAttachments
import PhotoIngestion
import Synchronization
import SystemPackage
import TestStores
import Testing

@testable import BlobStoreS3

/// Tests with a real S3 server, for some of whose objects every request returns status 500.
@Suite struct S3VerifyTests {
  private let place: S3Place
  private let cache: PhotoAttachmentCache
  private let photos: [PhotoAttachmentMetadata]
  private static let images = ["gps-exif.jpg", "color-key.png", "alpha-lossless.webp"]

  init() async throws {
    place = try S3Place()
    cache = try place.open()
    var photos: [PhotoAttachmentMetadata] = []
    for name in Self.images {
      let attached = try await cache.save(draft: name) {
        try PhotoPipeline(decoding: .inProcess).prepare(
          .file(path: "TestImages/\(name)", name: name))
      }
      photos.append(attached.photo)
    }
    self.photos = photos
  }

  @Test(
    "A picture that the store can't return is counted and named, and the others are verified",
    arguments: ["", "GET "])
  func goesOn(_ method: String) async throws {
    let blob = try #require(BlobPath(relativePath: photos[0].blob.path))
    let object = try #require(
      try (cache.blobs as? S3BlobStorage)?.ledger.object(of: blob))
    let key = try #require(cache.blobs as? S3BlobStorage).key(object)
    place.transport.sick.withLock { $0 = [method + address(key)] }
    let (report, findings) = try await cache.verifyTelling(all: true)
    #expect((report.checked, report.unavailable) == (3, 1))
    #expect((report.damaged, report.missing, report.quarantined) == (0, 0, 0))
    #expect(report.isIncomplete && !report.isClean)
    #expect(findings.map(\.photo) == [photos[0].id.uuidString])
    #expect(findings.map(\.problem) == [.unavailable])
    #expect(findings.first?.answer == "HTTP 500, InternalError")
    // The verification changed nothing: once the store returns the picture again, all is well.
    place.transport.sick.withLock { $0 = [] }
    #expect(try await cache.verify(all: true).isClean)
  }

  @Test(
    "An unreadable picture is repaired from its original, whether or not HEAD requests for it succeed",
    arguments: [false, true])
  func mends(_ tells: Bool) async throws {
    let storage = try #require(cache.blobs as? S3BlobStorage)
    for photo in photos.prefix(2) {
      let pictures = [photo.blob, photo.preview].compactMap { BlobPath(relativePath: $0.path) }
      // Makes these objects unreadable, but not other objects of the same pictures.
      let keys = try pictures.map { storage.key(try #require(try storage.ledger.object(of: $0))) }
      place.transport.sick.withLock { $0 += keys.map { (tells ? "GET " : "") + address($0) } }
    }
    let (report, findings) = try await cache.verifyTelling(all: true) {
      $0.repairs = true
      $0.sources = ["TestImages"]
    }
    #expect((report.unavailable, report.repaired, report.isIncomplete) == (2, 2, false))
    #expect(report.isClean)
    #expect(findings.allSatisfy { $0.repair == .done(.source) }, "\(findings)")
    // The unreadable objects are still in the store.
    #expect(try await cache.verify(all: true).isClean)
    for photo in photos { #expect(try await cache.load(draft: photo.fileName)?.id == photo.id) }
  }

  private func address(_ key: String) -> String {
    place.client.address.scheme + "://" + place.client.address.host + "/"
      + place.client.address.bucket + "/" + key
  }

  @Test("An unreadable picture without its original stays as it is")
  func stays() async throws {
    let blob = try #require(BlobPath(relativePath: photos[0].blob.path))
    place.transport.sick.withLock { $0 = [blob.name] }
    let (report, findings) = try await cache.verifyTelling(all: true) { $0.repairs = true }
    #expect((report.unavailable, report.repaired, report.isIncomplete) == (1, 0, true))
    #expect(findings.map(\.repair) == [.failed(.noSource)])
    place.transport.sick.withLock { $0 = [] }
    #expect(try await cache.verify(all: true).isClean)
  }
}
