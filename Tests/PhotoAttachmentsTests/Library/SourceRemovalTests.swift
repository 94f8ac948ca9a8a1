import Foundation
import Glibc
import SystemPackage
import Testing
import TestPictures
import TestStores

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite

/// Deleting originals never deletes a stored photo, another file, or data that is stored nowhere else.
@Suite struct SourceRemovalTests {
  private let folder: ImportFolder

  init() throws { folder = try ImportFolder() }

  private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.photos.path).sorted()
  }

  /// Returns a cache with one photo.
  private func cacheWithPhoto(
    _ name: String = "cache"
  ) async throws -> (cache: PhotoAttachmentCache, photo: PhotoAttachmentMetadata) {
    let file = try folder.add("gps-exif.jpg", as: "first.jpg")
    let cache = try folder.openCache(name)
    _ = try await folder.run(cache, paths: [file])
    return await (cache, try #require(try cache.photos().first))
  }

  @Test(
    "No file in the cache is deleted as a source, whichever way it is reached",
    arguments: ["", "/blobs", "/previews", "/incoming", "shard", "file", "link", "link to a file"])
  func ownCache(_ way: String) async throws {
    let (cache, photo) = try await cacheWithPhoto()
    let link = folder.base.appending(path: "link")
    let path: URL
    switch way {
    case "shard": path = photo.cachedURL.deletingLastPathComponent()
    case "file": path = photo.cachedURL
    case "link":
      path = link
      #expect(symlink(cache.folder.path + "/blobs", link.path) == 0)
    case "link to a file":
      path = link
      #expect(symlink(photo.cachedURL.path, link.path) == 0)
    default: path = URL(filePath: cache.folder.path + way)
    }
    let (_, files) = try await folder.run(cache, paths: [path]) {
      ($0.deletesSources, $0.deletesLossySources) = (true, true)
    }
    #expect(files.map(\.word) == ["skipped-inside-cache"])
    #expect(try await cache.bytes(of: photo.blob).count == photo.blob.sizeBytes)
    #expect(try await cache.bytes(of: photo.preview).count == photo.preview.sizeBytes)
  }

  @Test("A followed link doesn't lead into a cache")
  func followedLink() async throws {
    let (cache, photo) = try await cacheWithPhoto("photos/cache")
    _ = try folder.add("orientation-6.jpg", as: "z.jpg")
    #expect(symlink(photo.cachedURL.path, folder.photos.path + "/a.jpg") == 0)
    #expect(symlink(cache.folder.path + "/blobs", folder.photos.path + "/b") == 0)
    let (_, files) = try await folder.run(cache) {
      ($0.deletesSources, $0.followsSymlinks) = (true, true)
    }
    #expect(
      files.map(\.word)
        == [
          "skipped-inside-cache", "skipped-inside-cache", "skipped-inside-cache", "unchanged",
          "imported",
        ])
    #expect(try await cache.bytes(of: photo.blob).count == photo.blob.sizeBytes)
  }

  @Test("Another cache below the path is skipped and reported")
  func otherCache() async throws {
    let (other, photo) = try await cacheWithPhoto("photos/other")
    let (_, files) = try await folder.run(try folder.openCache()) {
      ($0.deletesSources, $0.deletesLossySources) = (true, true)
    }
    #expect(files.map(\.word) == ["imported", "skipped-inside-cache"])
    #expect(try await other.bytes(of: photo.blob).count == photo.blob.sizeBytes)
  }

  @Test("A hard link to a stored picture, and a file with a stored picture's name, stay")
  func storedInode() async throws {
    let (cache, photo) = try await cacheWithPhoto()
    try FileManager.default.removeItem(at: folder.photos.appending(path: "first.jpg"))
    let linked = folder.photos.appending(path: "a.jpg")
    #expect(link(photo.cachedURL.path, linked.path) == 0)
    let copied = try folder.add(
      try Data(contentsOf: photo.cachedURL), as: photo.cachedURL.lastPathComponent)
    let (summary, files) = try await folder.run(cache) {
      ($0.deletesSources, $0.deletesLossySources) = (true, true)
    }
    #expect(files.map(\.sourceKept) == [.stored, .stored])
    #expect(summary.keptSources == 2 && summary.deletedSources == 0)
    #expect(exists(linked) && exists(copied) && exists(photo.cachedURL))
  }

  @Test(
    "Originals that hold more than their photo stay, unless their deletion is requested explicitly",
    arguments: ["motion-photo.jpg", "depth-map.heic", "gradient-16-bit.png", "gain-map.jpg"])
  func losses(_ image: String) async throws {
    let file = try folder.add(image, as: image)
    let cache = try folder.openCache()
    let (summary, files) = try await folder.run(cache) { $0.deletesSources = true }
    let photo = try #require(try await cache.photos().first)
    #expect(!photo.normalization.losses.isEmpty)
    #expect(files.map(\.sourceKept) == [.losses(photo.normalization.losses)])
    #expect(summary.keptSources == 1 && summary.deletedSources == 0)
    #expect(exists(file))
    let again = try await folder.run(cache) {
      ($0.deletesSources, $0.deletesLossySources) = (true, true)
    }
    #expect(again.summary.deletedSources == 1)
    #expect(!exists(file))
  }

  @Test(
    "An original that lacks its end or frames always stays, and is counted",
    arguments: [
      ("normalizationRepairs", "jpeg-eoi"), ("normalizationRepairs", "png-iend"),
      ("normalizationRepairs", "png-zlib-checksum"), ("normalizationRepairs", "gif-trailer"),
      ("normalizationRepairs", "gif-image-end"), ("normalizationRepairs", "webp-size"),
      ("normalizationRepairs", "heif-end"),
      ("normalizationLosses", "frames"),
    ])
  func cut(_ column: String, _ sign: String) async throws {
    let (cache, photo) = try await cacheWithPhoto()
    let old = try #require(try cache.catalog.photo(id: photo.id.uuidString))
    let new = old.with([column: .text("[\"\(sign)\"]")]).sealedAnew
    #expect(try cache.catalog.replace(old, by: new, showing: nil) { true })
    for isDryRun in [true, false] {
      let (summary, files) = try await folder.run(cache) {
        ($0.deletesSources, $0.deletesLossySources, $0.dryRun) = (true, true, isDryRun)
      }
      #expect(files.map(\.word) == ["unchanged"])
      #expect(files.map(\.sourceKept) == [.cut([sign])])
      #expect(summary.keptSources == 1 && summary.deletedSources == 0)
    }
    #expect(try names() == ["first.jpg"])
  }

  @Test(
    "An original whose pixels were stored from another file stays; one with equal bytes is deleted")
  func equalPixels() async throws {
    let photo = try Data(contentsOf: TestImage.folder.appending(path: "gps-exif.jpg"))
    try folder.add(photo, as: "a.jpg")
    // A comment segment right after the start of the image (ITU-T T.81, B.2.4.5).
    let comment = Data([0xFF, 0xFE, 0, 4, 65, 66])
    try folder.add(photo.prefix(2) + comment + photo.dropFirst(2), as: "b.jpg")
    try folder.add(photo, as: "c.jpg")
    let (_, files) = try await folder.run(try folder.openCache()) { $0.deletesSources = true }
    #expect(files.map(\.word) == ["imported", "duplicate-pixels", "duplicate-bytes"])
    #expect(files.map(\.sourceKept) == [nil, .equalPixels, nil])
    #expect(try names() == ["b.jpg"])
  }

  @Test("Unknown data keeps an original whose pixels were stored from another file")
  func unknownDataOfAnother() async throws {
    let photo = try Data(contentsOf: TestImage.folder.appending(path: "gps-exif.jpg"))
    try folder.add(photo, as: "a.jpg")
    try folder.add(photo + Data(repeating: 7, count: 2000), as: "b.jpg")
    let (_, files) = try await folder.run(try folder.openCache()) {
      ($0.deletesSources, $0.deletesLossySources) = (true, true)
    }
    #expect(files.map { $0.sourceKept?.code } == [nil, "unknown-data"])
    #expect(try names() == ["b.jpg"])
  }

  @Test("A file that replaces the original after it was read is put back unread")
  func replaced() throws {
    let file = try folder.add("gps-exif.jpg", as: "a.jpg")
    let other = try folder.add(Data("another file".utf8), as: "other.jpg")
    let found = try #require(try walked().first)
    let digest = sha256(of: Array(try Data(contentsOf: file)))
    let kept = SourceRemoval.remove(found, sha256: digest) { _ in
      #expect(rename(other.path, file.path) == 0)
      return false
    }
    #expect(kept == .kept(.changed))
    #expect(try names() == ["a.jpg"])
    #expect(try Data(contentsOf: file) == Data("another file".utf8))
  }

  @Test("A file that is written to after it was read is put back")
  func written() throws {
    let file = try folder.add("gps-exif.jpg", as: "a.jpg")
    let found = try #require(try walked().first)
    let bytes = try Data(contentsOf: file)
    var writer: Int32 = -1
    defer { close(writer) }
    let kept = SourceRemoval.remove(found, sha256: sha256(of: Array(bytes))) { _ in
      writer = open(file.path, O_WRONLY)
      return false
    }
    #expect(kept == .kept(.changed))
    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test("A photo stays if deleting it would leave its film, edits or metadata alone")
  func setsAreNotTornByDeleting() async throws {
    try folder.add("portrait-phone.heic", as: "IMG_1.HEIC")
    try folder.add("gps-exif.jpg", as: "rex.jpg")
    try folder.add("orientation-6.jpg", as: "alone.jpg")
    for name in ["IMG_1.MOV", "rex.jpg.supplemental-meta.json"] {
      try folder.add(Data("{}".utf8), as: name)
    }
    let before = try names()
    for dryRun in [true, false] {
      let (summary, files) = try await folder.run(try folder.openCache()) {
        ($0.deletesSources, $0.deletesLossySources, $0.dryRun) = (true, true, dryRun)
      }
      let kept = files.filter { $0.sourceKept == .sidecar }.compactMap(\.path.lastComponent?.string)
      #expect(kept == ["IMG_1.HEIC", "rex.jpg"] && summary.deletedSources == 1)
    }
    #expect(try names() == before.filter { $0 != "alone.jpg" })
  }

  @Test("Sets are moved completely, with one number if their names are taken")
  func setsAreMovedTogether() async throws {
    try folder.add("portrait-phone.heic", as: "a/IMG_1.HEIC")
    let sidecars = ["IMG_1.MOV", "IMG_1.AAE", "IMG_1.HEIC.json"]
    for name in sidecars { try folder.add(Data(name.utf8), as: "a/" + name) }
    let target = folder.base.appending(path: "moved")
    try FileManager.default.createDirectory(
      at: target.appending(path: "a"), withIntermediateDirectories: true)
    try Data("other".utf8).write(to: target.appending(path: "a/IMG_1.MOV"))
    let (summary, files) = try await folder.run(try folder.openCache()) {
      ($0.moveSource, $0.deletesLossySources) = (FilePath(target.path), true)
    }
    #expect(summary.movedSources == 1 && summary.failed == 0, "\(files)")
    #expect(files.filter { $0.word == "skipped-sidecar" }.count == 3, "\(files.map(\.word))")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.photos.path + "/a") == [])
    let moved = try FileManager.default.contentsOfDirectory(atPath: target.path + "/a").sorted()
    #expect(
      moved == ["IMG_1-2.AAE", "IMG_1-2.HEIC", "IMG_1-2.HEIC.json", "IMG_1-2.MOV", "IMG_1.MOV"])
    #expect(try Data(contentsOf: target.appending(path: "a/IMG_1-2.MOV")) == Data("IMG_1.MOV".utf8))
  }

  @Test("A film that belongs to two photos stays if one of the photos stays")
  func sharedFilm() async throws {
    try folder.add("gps-exif.jpg", as: "IMG_1.JPG")
    // Importing it loses data.
    try folder.add("depth-map.heic", as: "IMG_1.HEIC")
    try folder.add(Data("film".utf8), as: "IMG_1.MOV")
    let target = folder.base.appending(path: "moved")
    let (summary, files) = try await folder.run(try folder.openCache()) {
      $0.moveSource = FilePath(target.path)
    }
    #expect(summary.movedSources == 1, "\(files)")
    #expect(try names() == ["IMG_1.HEIC", "IMG_1.MOV"])
  }

  @Test("Moved originals keep their relative paths, and replace nothing")
  func moved() async throws {
    let photo = try Data(contentsOf: TestImage.folder.appending(path: "gps-exif.jpg"))
    try folder.add("gps-exif.jpg", as: "trip/a.jpg")
    try folder.add("orientation-6.jpg", as: "b.jpg")
    try folder.add("gradient-16-bit.png", as: "c.png")
    let target = folder.base.appending(path: "moved")
    try FileManager.default.createDirectory(
      at: target.appending(path: "trip"), withIntermediateDirectories: true)
    try Data("kept".utf8).write(to: target.appending(path: "trip/a.jpg"))
    let cache = try folder.openCache()
    let (summary, files) = try await folder.run(cache) { $0.moveSource = FilePath(target.path) }
    #expect(summary.movedSources == 2 && summary.deletedSources == 0 && summary.keptSources == 1)
    #expect(
      files.map(\.sourceMovedTo) == [
        FilePath(target.path + "/b.jpg"), nil, FilePath(target.path + "/trip/a-2.jpg"),
      ])
    #expect(try Data(contentsOf: target.appending(path: "trip/a-2.jpg")) == photo)
    #expect(try Data(contentsOf: target.appending(path: "trip/a.jpg")) == Data("kept".utf8))
    #expect(try names() == ["c.png", "trip"])
  }

  @Test("A file that is moved to another file system keeps its bytes and its date")
  func movedAcross() async throws {
    let elsewhere = URL(filePath: "/dev/shm/petspot-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: elsewhere) }
    var (here, there) = (stat(), stat())
    try #require(stat(folder.base.path, &here) == 0 && stat("/dev/shm", &there) == 0)
    try #require(here.st_dev != there.st_dev)
    let file = try folder.add("gps-exif.jpg", as: "a.jpg")
    let (bytes, date) = (try Data(contentsOf: file), try modified(file))
    let (_, files) = try await folder.run(try folder.openCache()) {
      $0.moveSource = FilePath(elsewhere.path)
    }
    #expect(files.map(\.sourceMovedTo) == [FilePath(elsewhere.path + "/a.jpg")])
    #expect(try Data(contentsOf: elsewhere.appending(path: "a.jpg")) == bytes)
    #expect(try modified(elsewhere.appending(path: "a.jpg")) == date)
    #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) == ["a.jpg"])
    #expect(try names().isEmpty)
  }

  private func modified(_ file: URL) throws -> Date? {
    try FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
  }

  @Test("A file that can't be moved stays in its place, under its name")
  func unmovable() async throws {
    // Skips the test if there is no room for another page, or no right to mount.
    guard let small = SmallDisk(options: "size=4k") else { return }
    try Data(count: 4096).write(to: URL(filePath: small.path + "/full"))
    let file = try folder.add("gps-exif.jpg", as: "a.jpg")
    let bytes = try Data(contentsOf: file)
    let (_, files) = try await folder.run(try folder.openCache()) {
      $0.moveSource = FilePath(small.path)
    }
    guard case .failed? = files.first?.sourceKept else {
      Issue.record("\(files)")
      return
    }
    #expect(try Data(contentsOf: file) == bytes)
    #expect(try names() == ["a.jpg"])
  }

  @Test("No file is moved into a cache or into the imported folder")
  func noDestination() async throws {
    let (cache, _) = try await cacheWithPhoto()
    for path in [
      cache.folder.path + "/blobs", cache.folder.path + "/new", folder.photos.path + "/in",
    ] {
      await #expect(throws: StoreError.self) {
        _ = try await folder.run(cache) { $0.moveSource = FilePath(path) }
      }
    }
    #expect(try names().contains("first.jpg"))
  }

  @Test("A dry run reports the files that would be deleted or kept, and changes nothing")
  func rehearsed() async throws {
    try folder.add("gps-exif.jpg", as: "a.jpg")
    try folder.add("gradient-16-bit.png", as: "b.png")
    try folder.add("gradient-16-bit.png", as: "c.png")
    let cache = try folder.openCache()
    let dry = try await folder.run(cache) { ($0.deletesSources, $0.dryRun) = (true, true) }
    #expect(dry.summary.bytesWritten == 0 && dry.summary.deletedSources == 1)
    #expect(try names() == ["a.jpg", "b.png", "c.png"])
    let real = try await folder.run(cache) { $0.deletesSources = true }
    #expect(dry.files.map(\.word) == real.files.map(\.word))
    #expect(dry.files.map(\.sourceDeleted) == real.files.map(\.sourceDeleted))
    #expect(dry.files.map(\.sourceKept) == real.files.map(\.sourceKept))
    #expect(try names() == ["b.png", "c.png"])
  }

  @Test("An original that a killed deletion hid gets its name back after the next import")
  func hidden() async throws {
    let file = try folder.add("gps-exif.jpg", as: "a.jpg")
    let cache = try folder.openCache()
    _ = try await folder.run(cache)
    let name = try #require(SourceRemoval.hiddenName(for: Array("a.jpg".utf8)))
    let hidden = folder.photos.appending(path: String(decoding: name, as: UTF8.self))
    #expect(rename(file.path, hidden.path) == 0)
    #expect(try await folder.run(cache).files.map(\.word) == ["unchanged"])
    #expect(try names() == ["a.jpg"])
    // If its name is taken, both files stay, and the proved one is deleted later.
    #expect(rename(file.path, hidden.path) == 0)
    try folder.add("motion-photo.jpg", as: "a.jpg")
    _ = try await folder.run(cache)
    #expect(try names() == ["a-2.jpg", "a.jpg"])
    let (_, files) = try await folder.run(cache) { $0.deletesSources = true }
    #expect(files.map(\.sourceDeleted) == [true, false])
    #expect(try names() == ["a.jpg"])
  }

  @Test func hiddenNamesHoldTheFilesOwn() throws {
    let name = Array("IMG 1.jpg".utf8)
    let hidden = try #require(SourceRemoval.hiddenName(for: name))
    #expect(SourceRemoval.originalName(of: hidden) == name)
    let again = try #require(SourceRemoval.hiddenName(for: hidden))
    #expect(SourceRemoval.originalName(of: again) == name && again != hidden)
    #expect(SourceRemoval.hiddenName(for: [UInt8](repeating: 65, count: 250)) == nil)
    #expect(SourceRemoval.originalName(of: name) == nil)
    #expect(SourceRemoval.originalName(of: Array(".petspot-delete-12".utf8)) == nil)
    let foreign = ".petspot-delete-ZZZZZZZZZZZZZZZZ-secret.png"
    #expect(SourceRemoval.originalName(of: Array(foreign.utf8)) == nil)
  }

  private func walked() throws -> [FoundFile] {
    let walk = try FolderWalk(
      [FilePath(folder.photos.path)], options: ImportOptions(),
      cache: CacheFolder(path: folder.base.path + "/none"))
    var found: [FoundFile] = []
    while let entry = walk.next() { if case .file(let file, _) = entry { found.append(file) } }
    return found
  }
}
