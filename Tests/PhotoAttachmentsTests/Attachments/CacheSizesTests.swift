import Dispatch
import Foundation
import GRDB
import ImageContainers
import Synchronization
import TestPictures
import TestStores
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite

@Suite("Sizes of a cache's photos")
struct CacheSizesTests {
  private let cache = TemporaryCache()

  private func open() throws -> PhotoAttachmentCache {
    try .opened(cache.folder, pool: WorkerPool(threadCount: 1), decoding: .inProcess)
  }

  @Test("A size is made on its first request, and found on later ones")
  func made() async throws {
    let photos = try open()
    let photo = try await photos.save(draft: "a") { .sample(1) }.photo
    let name = SizeForm.Name(maxSide: 320, format: .webp)
    #expect(try await photos.knownSize(name, of: photo.id) == nil)
    let size = try await photos.picture(of: photo, fitting: 100)
    #expect((size.format, size.pixelWidth, size.pixelHeight) == (.webp, 1, 1))
    let known = try #require(try await photos.knownSize(name, of: photo.id))
    #expect(known.isStored && known.picture.place.sha256 == size.sha256)
    #expect(try await photos.bytes(of: size).count == size.sizeBytes)
    #expect(try await photos.picture(of: photo, fitting: 9000) == size)
  }

  @Test(
    "The size for a photo's link is recorded with the photo if strangers see it, and is deleted with it"
  )
  func shared() async throws {
    let image = try #require(TestImage.accepted.first { $0.file == "large.jpg" })
    let photos = try open()
    let photo = try await photos.save(
      draft: "a", of: .report,
      preparing: { try await photos.prepare(image.source, in: AttachTests.Turns()) }
    ).photo
    let form = SizeForm.shared(width: photo.blob.pixelWidth, height: photo.blob.pixelHeight)
    #expect(form.size.maxSide == 1280)
    let known = try #require(try await photos.knownSize(form.name, of: photo.id))
    #expect(known.isStored)
    #expect(try photos.blobs.holds(known.picture))
    #expect(try photos.makeSize(form, of: photo).sha256 == known.picture.place.sha256)
    let own = try await photos.attach(image.source, draft: "b").photo
    #expect(try await photos.knownSize(form.name, of: own.id) == nil)
    try await photos.remove(draft: "a")
    #expect(try !photos.blobs.holds(known.picture))
  }

  @Test(
    "Stored sizes are shown while other photos are prepared and recorded", .timeLimit(.minutes(1)))
  func besideUploads() async throws {
    let photos = try open()
    let photo = try await photos.save(draft: "a") { .sample(1) }.photo
    let size = try await photos.picture(of: photo, fitting: 320)
    // One photo is being prepared, and one transaction is recording.
    let (preparing, recording) = (Gate(), Gate())
    async let upload = photos.save(draft: "b") {
      preparing.wait()
      return .sample(2)
    }
    await preparing.untilReached()
    async let act: Void = photos.threads.finish {
      try photos.sqlite.writeRaw { db in
        try db.execute(sql: "UPDATE store SET last_ticket = last_ticket + 1")
        recording.wait()
      }
    }
    await recording.untilReached()
    #expect(try await photos.photo(id: photo.id) == photo)
    let name = SizeForm.Name(maxSide: 320, format: .webp)
    #expect(try await photos.knownSize(name, of: photo.id)?.picture.place.sha256 == size.sha256)
    #expect(try await photos.body(of: size).count == size.sizeBytes)
    recording.open()
    preparing.open()
    try await act
    _ = try await upload
  }

  private func isNoting(_ photos: PhotoAttachmentCache) -> Bool {
    photos.noting.withLock { !$0.isEmpty }
  }

  @Test("The use of a size is recorded once an hour, after the response")
  func uses() async throws {
    let photos = try open()
    let photo = try await photos.save(draft: "a") { .sample(1) }.photo
    _ = try await photos.picture(of: photo, fitting: 320)
    let name = SizeForm.Name(maxSide: 320, format: .webp)
    func usedAt() throws -> Date? { try photos.catalog.size(name, of: photo.id)?.usedAt }
    let made = try #require(try usedAt())
    _ = try await photos.knownSize(name, of: photo.id)
    #expect(!isNoting(photos))
    try photos.catalog.touch(name, of: photo.id, at: made - 3700)
    _ = try await photos.knownSize(name, of: photo.id)
    while isNoting(photos) { try await Task.sleep(for: .milliseconds(1)) }
    #expect(try #require(try usedAt()) >= made)
  }
}
