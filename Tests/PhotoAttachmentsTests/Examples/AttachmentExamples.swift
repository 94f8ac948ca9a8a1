import Foundation
import Glibc
import PhotoAttachments
import PhotoIngestion
import SystemPackage
import TestPictures
import Testing
@testable import PhotoStoreSQLite
import TestStores

/// The code of the module's front page, which `HouseTests` compares; `Tests/Examples/AttachOne` is the
/// rest of it.
@Suite("The front page's code runs")
struct AttachmentExamples {
  private let temporary = TemporaryCache()
  private let cache: PhotoAttachmentCache

  init() throws {
    cache = try .opened(
      temporary.folder, pool: WorkerPool(threadCount: 2),
      decoding: .sandboxed(DecoderPool(executable: Petspot.path, trust: .owner(photosPerWorker: 9)))
    )
  }

  private func attach() async throws -> AttachedPhoto {
    let image = try #require(TestImage.accepted.first { $0.file == "portrait-phone.heic" })
    return try await cache.attach(image.source, to: "17")
  }

  @Test("A program of a few lines attaches a photo, and again after a restart")
  func attachOne() async throws {
    let program = try ExampleProgram("AttachOne")
    let first = try program.run()
    let lines = first.out.split(separator: "\n")
    #expect(first.exitCode == 0 && lines.count == 2, "\(first.out)")
    let path = String(lines[0].prefix { $0 != " " })
    #expect(FileManager.default.fileExists(atPath: path), "\(first.out)")
    #expect(lines.last == "rex.heic")
    #expect(try program.run() == first)
    let kept = try await PhotoAttachmentCache.open(
      CacheFolder(path: program.folder.appending(path: "photos").path))
    #expect(try await kept.photos().count == 1)
    #expect(try await kept.photo(of: "pet-17")?.fileName == "rex.heic")
    try FileManager.default.removeItem(at: program.folder.appending(path: "rex.heic"))
    let missing = try program.run()
    #expect(missing.exitCode == 0, "\(missing.out)")
    let error = StoreError.photo(.unreadable(.system(errno: ENOENT)))
    #expect(missing.out == "Not attached: \(error)\n")
  }

  @Test("Watching a draft")
  func watch() async throws {
    let watching = Task { await Self.watch(cache) }
    _ = try await attach()
    await watching.value
  }

  private static func watch(_ cache: PhotoAttachmentCache) async {
    for await status in cache.statuses(of: "17") {
      switch status {
      case .empty: print("no photo")
      case .loading: print("working on it")
      case .confirmed(let photo):
        print(photo.fileName, photo.pixelWidth, photo.pixelHeight)
        return
      }
    }
  }

  @Test("Showing a photo")
  func show() async throws {
    let attached = try await attach()
    if let photo = try await cache.photo(of: "17") {
      let bytes = try await cache.bytes(of: photo.preview)
      print(photo.preview.format, bytes.count)
    }
    #expect(try await cache.photo(of: "17") == attached.photo)
    #expect(try await cache.bytes(of: attached.preview).count == attached.preview.sizeBytes)
  }

  @Test("Importing a folder")
  func importFolder() async throws {
    let program = try ExampleProgram("AttachOne")
    let folder = FilePath(program.folder.path)
    let importer = PhotoImporter(cache: cache, pipeline: cache.pipeline)
    let summary = try await importer.importPhotos([folder])
    print(summary.imported, summary.duplicates, summary.failed)
    for try await progress in importer.progress(importing: [folder]) {
      print(progress.totals.files, "of", progress.expectedFiles)
      print(progress.file.path, progress.file.outcome)
    }
    #expect((summary.imported, summary.duplicates, summary.failed) == (1, 0, 0))
  }

  @Test("Finding photos")
  func find() async throws {
    let program = try ExampleProgram("AttachOne")
    let importer = PhotoImporter(cache: cache, pipeline: cache.pipeline)
    _ = try await importer.importPhotos([FilePath(program.folder.path)])
    _ = try await attach()
    var query = PhotoQuery()
    query.words = ["rex"]
    query.order = .taken
    for try await photo in cache.photos(matching: query) {
      print(photo.id, photo.fileName)
    }
    var names: [String] = []
    for try await photo in cache.photos(matching: query) { names.append(photo.fileName) }
    #expect(names == ["rex.heic"])
    let all = try await cache.photos(matching: .init()).reduce(into: []) { $0.append($1.id) }
    #expect(try await cache.photos().map(\.id) == all && all.count == 2)
  }

  @Test("A photo that is removed before its turn is skipped, and one more page is read")
  func findMany() async throws {
    let pipeline = PhotoPipeline(decoding: .inProcess)
    let photo = try await pipeline.prepare(
      .bytes(EncodedPicture.png(1).bytes, name: "one.png"))
    for number in 0..<250 {
      try await cache.attach(to: AttachmentKey("\(number)")) { photo }
    }
    var found = 0
    for try await photo in cache.photos(matching: .init()) {
      if found == 0 { try await cache.remove("0") }
      found += 1
      #expect(photo.fileName == "one.png")
    }
    #expect(found == 249)
  }

  @Test("Looking after what is stored")
  func lookAfter() async throws {
    _ = try await attach()
    let verifier = PhotoVerifier(cache: cache, pipeline: cache.pipeline)
    let report = try await verifier.verify()
    let swept = try await cache.sweep()
    print(report.isClean, swept.removedBlobs)
    #expect(report.isClean && report.checked == 1 && swept.removedBlobs == 0)
  }
}
