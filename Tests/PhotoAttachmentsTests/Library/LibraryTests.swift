import Foundation
import Glibc
import SystemPackage
import Testing
import TestPictures

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores

@Suite struct LibraryTests {
  let folder: ImportFolder
  let images: [String]

  init() throws {
    folder = try ImportFolder()
    images = ImportFolder.pictures
  }

  private func imported() async throws -> (PhotoAttachmentCache, PhotoAttachmentMetadata) {
    try folder.add(images[0], as: "1.jpg")
    let cache = try folder.openCache()
    _ = try await folder.run(cache)
    return await (cache, try #require(try cache.photos().first))
  }

  @Test func anAssetIsAttachedWithoutAnotherBlob() async throws {
    let (cache, asset) = try await imported()
    let attached = try await cache.attach(asset: asset.id, draft: "1")
    #expect(attached.assetIdentifier == asset.id.uuidString)
    #expect(attached.blob == asset.blob)
    #expect(try await cache.load(draft: "1") == attached)
    // Removing the attachment doesn't affect the library, and the other way round.
    try await cache.remove(draft: "1")
    #expect(try await cache.photos().map(\.id) == [asset.id])
    #expect(try await cache.bytes(of: asset.blob).count == asset.blob.sizeBytes)
  }

  @Test func anUnknownAssetLeavesTheAttachmentAsItWas() async throws {
    let (cache, asset) = try await imported()
    let attached = try await cache.attach(asset: asset.id, draft: "1")
    await #expect(throws: StoreError.missingPhoto) {
      try await cache.attach(asset: UUID(), draft: "1")
    }
    // An attachment isn't an asset.
    await #expect(throws: StoreError.missingPhoto) {
      try await cache.attach(asset: attached.id, draft: "1")
    }
    #expect(try await cache.load(draft: "1") == attached)
  }

  @Test func attachmentsNoticeThatTheirAssetIsForgottenAndKeepTheirPicture() async throws {
    let (cache, asset) = try await imported()
    let attached = try await cache.attach(asset: asset.id, draft: "1")
    #expect(try await cache.forget(asset: asset.id) == ["1"])
    let after = try #require(try await cache.load(draft: "1"))
    #expect(after.id == attached.id)
    #expect(after.assetIdentifier == nil)
    #expect(try await cache.failure(draft: "1") == "asset-forgotten")
    #expect(try await cache.bytes(of: after.blob).count == after.blob.sizeBytes)
    await #expect(throws: StoreError.missingPhoto) { try await cache.forget(asset: asset.id) }
    try await cache.remove(draft: "1")
    await #expect(throws: StoreError.missingPhoto) { try await cache.bytes(of: after.blob) }
  }

  /// Bytes can rot, and a program can set a file's date back.
  @Test func anOriginalWithOtherBytesOfTheSameAgeAndSizeIsNone() async throws {
    let (cache, asset) = try await imported()
    let original = folder.photos.appending(path: "1.jpg").path
    var status = stat()
    #expect(stat(original, &status) == 0)
    let file = open(original, O_WRONLY | O_CLOEXEC)
    #expect(pwrite(file, "x", 1, status.st_size / 2) == 1)
    var times = [status.st_atim, status.st_mtim]
    #expect(futimens(file, &times) == 0)
    close(file)
    await #expect(throws: StoreError.onlyCopies(photos: [asset.id.uuidString])) {
      try await cache.forget(asset: asset.id)
    }
    #expect(try await cache.photos().map(\.id) == [asset.id])
  }

  @Test func aForgottenPhotoIsTakenInAnewOnlyByAnImportThatAsksForIt() async throws {
    let (cache, asset) = try await imported()
    try await cache.forget(asset: asset.id)
    #expect(try await cache.photos().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: asset.cachedURL.path))
    #expect(try await folder.run(cache).files.map(\.word) == ["skipped-forgotten"])
    let second = try await folder.run(cache)
    #expect(second.files.map(\.word) == ["skipped-forgotten"] && second.summary.bytesRead == 0)
    let again = try await folder.run(cache) { $0.retriesRefused = true }
    #expect(again.files.map(\.word) == ["imported"])
    #expect(try await folder.run(cache).files.map(\.word) == ["unchanged"])
    // An equal picture in another place is another file.
    let photo = try #require(try await cache.photos().first)
    try await cache.forget(asset: photo.id)
    let other = folder.base.appending(path: "other.jpg")
    try FileManager.default.copyItem(at: folder.photos.appending(path: asset.fileName), to: other)
    #expect(try await folder.run(cache).files.map(\.word) == ["skipped-forgotten"])
    #expect(try await folder.run(cache, paths: [other]).files.map(\.word) == ["imported"])
  }

  @Test("A pipe or a folder in a picture's place is reported as such")
  func aBlobThatIsNoFile() async throws {
    let (cache, asset) = try await imported()
    for make in [{ mkfifo($0, 0o600) }, { mkdir($0, 0o700) }] as [(String) -> Int32] {
      try FileManager.default.removeItem(at: asset.cachedURL)
      #expect(make(asset.cachedURL.path) == 0)
      let error = StoreError.fault(.blobNotAFile)
      await #expect(throws: error) { try await cache.export(id: asset.id, to: folder.base) }
      await #expect(throws: error) { try await cache.attach(asset: asset.id, draft: "1") }
      #expect(try await cache.verify(all: true).isClean == false)
    }
  }

  @Test func sweepAndVerifyKnowTheLibrary() async throws {
    let (cache, asset) = try await imported()
    let later = Date(timeIntervalSinceNow: 365 * 24 * 3600)
    #expect(try await cache.sweep(now: later).removedBlobs == 0)
    #expect(try await cache.bytes(of: asset.blob).count == asset.blob.sizeBytes)
    #expect(try await cache.verify(all: true).checked == 1)
  }

  @Test func originalsAreDeletedOnlyWhenTheirPhotoIsProved() async throws {
    let good = try folder.add(images[0], as: "good.jpg")
    let twin = try folder.add(images[0], as: "twin.jpg")
    let bad = try folder.add(Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0]), as: "bad.jpg")
    let other = try folder.add(Data("no photo".utf8), as: "notes.txt")
    let damaged = try folder.add(images[1], as: "damaged.jpg")
    let cache = try folder.openCache()
    _ = try await folder.run(cache, paths: [damaged])
    let photo = try #require(try await cache.photos().first)
    // The size is the same but the bytes differ, so only reading them shows that the stored photo is damaged.
    try FileManager.default.removeItem(at: photo.cachedURL)
    try Data(repeating: 7, count: photo.blob.sizeBytes).write(to: photo.cachedURL)
    let (summary, _) = try await folder.run(cache) { $0.deletesSources = true }
    let exists = { (url: URL) in FileManager.default.fileExists(atPath: url.path) }
    #expect(!exists(good))
    #expect(!exists(twin))
    #expect(exists(bad))
    #expect(exists(other))
    #expect(exists(damaged))
    #expect(summary.deletedSources == 2)
  }

  @Test func similarSuggestsByLooksAlone() async throws {
    // One scene in two formats is alike, but is never merged.
    for image in TestImage.accepted { try folder.add(image.file, as: image.file) }
    let cache = try folder.openCache()
    _ = try await folder.run(cache)
    let photos = try await cache.photos()
    let own = try #require(photos.first)
    let all = try await cache.similar(to: own.id, distance: 64, limit: .max)
    #expect(all.count == photos.count - 1)
    #expect(all.map(\.distance) == all.map(\.distance).sorted())
    #expect(
      try await cache.similar(to: own.id, distance: 5, limit: .max).allSatisfy { $0.distance <= 5 })
    await #expect(throws: StoreError.missingPhoto) { try await cache.similar(to: UUID()) }
  }
}

@Suite struct PerceptualHashTests {
  /// Returns a horizontal ramp, brighter to the right.
  private func ramp(width: Int, height: Int, inverted: Bool = false) -> [UInt8] {
    (0..<height).flatMap { _ in
      (0..<width).flatMap { x -> [UInt8] in
        let value = UInt8(x * 255 / max(1, width - 1))
        return [UInt8](repeating: inverted ? 255 - value : value, count: 3)
      }
    }
  }

  @Test func aRampSetsEveryBitAndItsInverseNone() {
    #expect(PerceptualHash.of(rgb: ramp(width: 90, height: 40), width: 90, height: 40) == .max)
    let inverse = ramp(width: 90, height: 40, inverted: true)
    #expect(PerceptualHash.of(rgb: inverse, width: 90, height: 40) == 0)
    #expect(PerceptualHash.distance(.max, 0) == 64)
  }

  @Test func sizeDoesNotMatter() {
    let large = PerceptualHash.of(rgb: ramp(width: 320, height: 240), width: 320, height: 240)
    let small = PerceptualHash.of(rgb: ramp(width: 36, height: 20), width: 36, height: 20)
    #expect(PerceptualHash.distance(large, small) == 0)
  }

  @Test func picturesSmallerThanTheGridHaveAHash() {
    #expect(PerceptualHash.of(rgb: [1, 2, 3], width: 1, height: 1) == 0)
  }
}
