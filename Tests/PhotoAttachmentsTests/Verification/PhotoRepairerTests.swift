import Foundation
import GRDB
import SystemPackage
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores
import TestPictures

@Suite struct PhotoRepairerTests {
  let folder: ImportFolder

  init() throws { folder = try ImportFolder() }

  /// Returns a cache with three imported photos, one of them attached.
  private func imported() async throws -> (PhotoAttachmentCache, [PhotoAttachmentMetadata]) {
    for (number, image) in ImportFolder.pictures.enumerated() {
      try folder.add(image, as: "\(number)-\(image)")
    }
    let cache = try folder.openCache()
    #expect(try await folder.run(cache).files.map(\.word) == ["imported", "imported", "imported"])
    let photos = try await cache.photos()
    try await cache.attach(asset: photos[0].id, draft: "a")
    return (cache, photos)
  }

  private func store(_ cache: PhotoAttachmentCache) async throws -> [String: Data] {
    var files: [String: Data] = [:]
    for photo in try await cache.photos() {
      for picture in [photo.blob, photo.preview] {
        let file = cache.folder.path + "/" + picture.path
        files[picture.path] = try Data(contentsOf: URL(fileURLWithPath: file))
      }
    }
    return files
  }

  private func replace(
    _ picture: StoredPicture, in cache: PhotoAttachmentCache, with bytes: Data?
  ) throws {
    let file = URL(fileURLWithPath: cache.folder.path + "/" + picture.path)
    try FileManager.default.removeItem(at: file)
    try bytes?.write(to: file)
  }

  private func flipped(
    _ picture: StoredPicture, in cache: PhotoAttachmentCache
  ) throws -> Data {
    let file = URL(fileURLWithPath: cache.folder.path + "/" + picture.path)
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count / 2] ^= 1
    return bytes
  }

  @Test func everyPictureComesBackFromItsOriginal() async throws {
    let (cache, photos) = try await imported()
    let whole = try await store(cache)
    for photo in photos {
      try replace(photo.blob, in: cache, with: flipped(photo.blob, in: cache))
      try replace(photo.preview, in: cache, with: nil)
    }
    let told = try await cache.verifyTelling(all: true) { $0.repairs = true }
    #expect(told.report.missing == 4)  // the attachment shares the first photo's files
    #expect(told.report.repaired == 4)
    #expect(told.report.quarantined == 3)
    #expect(told.findings.filter { $0.repair == .done(.source) }.count >= 6)
    #expect(try await store(cache) == whole)
    #expect(try await cache.verify(all: true) == VerifyReport(checked: 4))
  }

  /// A foreign folder has the name of a picture.
  @Test func aFolderInAPicturesPlaceIsMovedAside() async throws {
    let (cache, photos) = try await imported()
    let whole = try await store(cache)
    try replace(photos[1].blob, in: cache, with: nil)
    try FileManager.default.createDirectory(
      at: photos[1].cachedURL, withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: photos[1].cachedURL.appending(path: "note"))
    let told = try await cache.verifyTelling(all: true) { $0.repairs = true }
    #expect(told.findings.map(\.problem) == [.unreadable])
    #expect(told.findings.map(\.repair) == [.done(.source)])
    let aside = try #require(told.findings.first?.quarantined)
    #expect(
      try String(contentsOfFile: cache.folder.path + "/" + aside + "/note", encoding: .utf8)
        == "mine")
    #expect(try await store(cache) == whole)
  }

  @Test func exchangedFilesComeBackWithoutAnOriginal() async throws {
    let cache = try folder.openCache()
    let first = try await cache.save(draft: "a") { .sample(1) }
    let second = try await cache.save(draft: "b") { .sample(2) }
    let whole = try await store(cache)
    try replace(first.blob, in: cache, with: whole[second.blob.path])
    try replace(second.blob, in: cache, with: whole[first.blob.path])
    let told = try await cache.verifyTelling { $0.repairs = true }
    #expect(told.findings.map(\.problem) == [.swapped, .swapped])
    #expect(told.findings.map(\.repair) == [.done(.quarantine), .done(.quarantine)])
    #expect(try await store(cache) == whole)
  }

  @Test func aFileThatCouldNotBeReadWhenItWasPutAsideComesBack() async throws {
    let cache = try folder.openCache()
    let saved = try await cache.save(draft: "a") { .sample(1) }
    let whole = try await store(cache)
    let place = try saved.blob.place
    let identity = try #require(try cache.blobs.findBlob(at: place, quickly: false)).identity
    #expect(
      try cache.blobs.quarantine(place, identity, problem: .unreadable, holds: nil) != nil)
    let told = try await cache.verifyTelling { $0.repairs = true }
    #expect(told.findings.map(\.repair) == [.done(.quarantine)])
    #expect(try await store(cache) == whole)
  }

  @Test func aQuarantinedFileThatRottedIsNotPutBack() async throws {
    let cache = try folder.openCache()
    let first = try await cache.save(draft: "a") { .sample(1) }
    let second = try await cache.save(draft: "b") { .sample(2) }
    let whole = try await store(cache)
    try replace(first.blob, in: cache, with: whole[second.blob.path])
    try replace(second.blob, in: cache, with: whole[first.blob.path])
    #expect(try await cache.verify().quarantined == 2)
    for file in try cache.blobs.list(.quarantine) {
      try Data("rot".utf8).write(
        to: URL(fileURLWithPath: cache.folder.path + "/" + file.relativePath), options: .atomic)
    }
    let told = try await cache.verifyTelling { $0.repairs = true }
    #expect(told.findings.map(\.repair) == [.failed(.noSource), .failed(.noSource)])
  }

  @Test func aPreviewComesBackFromItsBlob() async throws {
    let cache = try folder.openCache()
    let url = try folder.add("portrait-phone.heic", as: "a.heic")
    let saved = try await cache.save(draft: "a") {
      try PhotoPipeline(decoding: .inProcess).prepare(.file(path: url.path))
    }
    try replace(saved.preview, in: cache, with: nil)
    let told = try await cache.verifyTelling { $0.repairs = true }
    #expect(told.findings.map(\.repair) == [.done(.blob)])
    #expect(try await cache.verify(all: true).isClean)
    let mended = try #require(try await cache.load(draft: "a"))
    #expect(mended.blob == saved.blob)
    #expect(try await cache.bytes(of: mended.preview).count == mended.preview.sizeBytes)
  }

  @Test func originalsAreLookedForWhereThePersonSays() async throws {
    let cache = try folder.openCache()
    let url = try folder.add("portrait-phone.heic", as: "deep/down/a.heic")
    let saved = try await cache.save(draft: "a") {
      try PhotoPipeline(decoding: .inProcess).prepare(.file(path: url.path))
    }
    let whole = try await store(cache)
    try replace(saved.blob, in: cache, with: nil)
    var told = try await cache.verifyTelling { $0.repairs = true }
    #expect(told.findings.map(\.repair) == [.failed(.noSource)])
    #expect(!told.report.isClean)
    let photos = FilePath(folder.photos.path)
    told = try await cache.verifyTelling {
      $0.repairs = true
      $0.sources = [photos]
    }
    #expect(told.findings.map(\.repair) == [.done(.source)])
    #expect(try await store(cache) == whole)
  }

  @Test func anOriginalThatChangedGivesNothing() async throws {
    let (cache, photos) = try await imported()
    let file = folder.photos.appending(path: "0-\(ImportFolder.pictures[0])")
    let first = try #require(photos.first { $0.fileName == file.lastPathComponent })
    try replace(first.blob, in: cache, with: nil)
    try Data("another file".utf8).write(to: file)
    var told = try await cache.verifyTelling(all: true) { $0.repairs = true }
    #expect(told.findings.allSatisfy { $0.repair == .failed(.sourceChanged) })
    #expect(told.report.repaired == 0)
    try FileManager.default.removeItem(at: file)
    told = try await cache.verifyTelling(all: true) { $0.repairs = true }
    #expect(told.findings.allSatisfy { $0.repair == .failed(.noSource) })
  }

  @Test(
    "Every altered field is restored",
    arguments: [
      "blobSizeBytes = 5", "blobWidth = -2", "blobFormat = 'gif'", "blobFormat = 'no'",
      "blobSHA256 = previewSHA256", "previewSHA256 = 'x'", "previewHeight = 7", "pixelWidth = 9",
      "fileName = 'other'", "fileSizeBytes = 1", "uti = ''", "sourceSHA256 = 'x'",
      "sourceCapturedAt = '1999'", "normalizationReasons = '['", "normalizationMethod = 'magic'",
      "seal = NULL", "id = 'x'",
    ])
  func alteredRecord(_ change: String) async throws {
    let (cache, photos) = try await imported()
    try await cache.sqlite.writer.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.execute(
        sql: "UPDATE photo SET \(change) WHERE id = ?", arguments: [photos[1].id.uuidString])
    }
    let told = try await cache.verifyTelling(all: true) { $0.repairs = true }
    #expect(told.report.damaged > 0)
    #expect(told.report.isClean, "\(told.findings)")
    #expect(try await cache.verify(all: true) == VerifyReport(checked: 4))
    #expect(try await cache.photo(id: photos[1].id) == photos[1])
  }

  @Test func entriesThatPointAtNothing() async throws {
    let (cache, photos) = try await imported()
    let attached = try #require(try await cache.load(draft: "a"))
    let before = try await cache.photo(id: photos[1].id)
    try await cache.sqlite.writer.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA foreign_keys = OFF")
      try db.execute(
        sql: "DELETE FROM photo WHERE id IN (?, ?)",
        arguments: [photos[1].id.uuidString, attached.id.uuidString])
      try db.execute(
        sql: "UPDATE library_photo SET perceptual_hash = perceptual_hash + 1 WHERE photo = ?",
        arguments: [photos[2].id.uuidString])
      try db.execute(
        sql: "UPDATE source_file SET sha256 = 'x' WHERE photo = ?",
        arguments: [photos[0].id.uuidString])
    }
    let told = try await cache.verifyTelling(all: true) { $0.repairs = true }
    #expect(told.report.damaged == 4)
    #expect(told.report.isClean, "\(told.findings)")
    #expect(try await cache.verify(all: true) == VerifyReport(checked: 3))
    #expect(try await cache.status(draft: "a") == .empty)
    var after = try #require(try await cache.photo(id: photos[1].id))
    after.savedAt = photos[1].savedAt
    #expect(after == before)
  }

  /// Storing equal bytes again must end in good bytes.
  @Test(arguments: ["shorter", "gone"])
  func anotherImportMendsWhatIsDamaged(_ how: String) async throws {
    let (cache, photos) = try await imported()
    let whole = try await store(cache)
    for photo in photos {
      let bytes = try #require(whole[photo.blob.path])
      try replace(photo.blob, in: cache, with: how == "gone" ? nil : bytes.dropLast())
      try replace(photo.preview, in: cache, with: Data("no preview".utf8))
    }
    _ = try await folder.run(cache)
    #expect(try await store(cache) == whole)
  }

  @Test func abandonedAttemptsAreEnded() async throws {
    let (cache, _) = try await imported()
    let other = try OtherProcess()
    try cache.sqlite.leaveLoading(draft: "a", ticket: 77, owner: other.identity.signature)
    #expect(try await cache.verify(all: true).abandoned == 0)
    other.end()
    #expect(try await cache.verify(all: true).abandoned == 1)
    #expect(try await cache.verify(all: true) { $0.repairs = true }.abandoned == 0)
    #expect(try await cache.load(draft: "a") != nil)
  }
}
