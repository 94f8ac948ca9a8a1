import Foundation
import Glibc
import Synchronization
import SystemPackage
import Testing
import TestPictures

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores

@Suite struct PhotoImporterTests {
  let folder: ImportFolder
  let images: [String]

  init() throws {
    folder = try ImportFolder()
    images = ImportFolder.pictures
  }

  @Test func saysOfEveryTestImageWhatAttachSays() async throws {
    for image in TestImage.all { try folder.add(image.file, as: image.file) }
    let (_, files) = try await folder.run(try folder.openCache())
    let told = Dictionary(uniqueKeysWithValues: files.map { ($0.path.string, $0) })
    for image in TestImage.all {
      let file = try #require(told[folder.photos.appending(path: image.file).path])
      do throws(PhotoError) {
        _ = try await PhotoPipeline(decoding: .inProcess).prepare(image.source)
        #expect(["imported", "duplicate-bytes", "duplicate-pixels"].contains(file.word))
      } catch {
        let refused = ["skipped-" + error.code, "failed-" + error.code]
        #expect(refused.contains(file.word), "\(image.file)")
      }
    }
    #expect(files.count == TestImage.all.count)
  }

  @Test func knowsUnchangedFilesAndReadsThemNotAgain() async throws {
    for image in images { try folder.add(image, as: image) }
    try folder.add(Data("no photo".utf8), as: "notes.txt")
    try folder.add(Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0]), as: "broken.jpg")
    let cache = try folder.openCache()
    let first = try await folder.run(cache)
    #expect(first.summary.imported == 3)
    #expect(first.summary.bytesRead > 0)
    #expect(try folder.incoming(cache).isEmpty)
    let second = try await folder.run(try folder.openCache())
    #expect(second.summary.unchanged == 3)
    #expect(second.summary.bytesRead == 0)
    // Refused files are reported again with the same reason.
    let refusedFirst = first.files.map(\.word).filter { $0 != "imported" }
    let refusedThen = second.files.map(\.word).filter { $0 != "unchanged" }
    #expect(refusedThen == refusedFirst)
    #expect(second.summary.failed == 1)
    #expect(second.summary.skipped == 1)
    let third = try await folder.run(cache) { $0.retriesRefused = true }
    #expect(third.summary.unchanged == 3)
    #expect(third.summary.bytesRead > 0)
    #expect(third.summary.failed == 1)
  }

  @Test func findsEqualBytesWithinOneRunAndTakesTheFirstOfTheWalk() async throws {
    for name in ["b.jpg", "a/z.jpg", "c.jpg"] { try folder.add(images[0], as: name) }
    let (_, files) = try await folder.run(try folder.openCache())
    #expect(files.map(\.name) == ["z.jpg", "b.jpg", "c.jpg"])
    #expect(files.map(\.word) == ["imported", "duplicate-bytes", "duplicate-bytes"])
  }

  @Test func findsEqualPixelsUnderOtherMetadata() async throws {
    let original = try Data(contentsOf: TestImage.folder.appending(path: images[0]))
    // A comment segment right after the start of the image (ITU-T T.81, B.2.4.5).
    let comment = Data([0xFF, 0xFE, 0, 7]) + Data("hello".utf8)
    try folder.add(original, as: "1.jpg")
    try folder.add(original.prefix(2) + comment + original.dropFirst(2), as: "2.jpg")
    let (_, files) = try await folder.run(try folder.openCache())
    #expect(files.map(\.word) == ["imported", "duplicate-pixels"])
  }

  @Test func equalBytesThatAreRefusedGetTheSameAnswer() async throws {
    let broken = Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0])
    try folder.add(broken, as: "1.jpg")
    try folder.add(broken, as: "2.jpg")
    let (_, files) = try await folder.run(try folder.openCache())
    #expect(files.map(\.word) == ["failed-corrupt", "failed-corrupt"])
  }

  @Test func hardLinksAreDuplicatesAndMovedFilesAreUnchanged() async throws {
    let file = try folder.add(images[0], as: "1.jpg")
    let cache = try folder.openCache()
    _ = try await folder.run(cache)
    let link = folder.photos.appending(path: "2.jpg")
    try FileManager.default.linkItem(at: file, to: link)
    let linked = try await folder.run(cache)
    #expect(linked.files.map(\.word) == ["unchanged", "duplicate-bytes"])
    #expect(linked.summary.bytesRead == 0)
    try FileManager.default.removeItem(at: link)
    try FileManager.default.moveItem(at: file, to: folder.photos.appending(path: "moved.jpg"))
    let moved = try await folder.run(cache)
    #expect(moved.files.map(\.word) == ["unchanged"])
    #expect(moved.summary.bytesRead == 0)
  }

  @Test func aChangedFileIsTakenAnew() async throws {
    try folder.add(images[0], as: "1.jpg")
    let cache = try folder.openCache()
    _ = try await folder.run(cache)
    try folder.add(images[1], as: "1.jpg")
    #expect(try await folder.run(cache).files.map(\.word) == ["imported"])
    #expect(try await cache.photos().count == 2)
  }

  @Test func aLostBlobIsImportedAgain() async throws {
    try folder.add(images[0], as: "1.jpg")
    let cache = try folder.openCache()
    _ = try await folder.run(cache)
    let photo = try #require(try await cache.photos().first)
    try FileManager.default.removeItem(at: photo.cachedURL)
    _ = try await folder.run(cache)
    #expect(try await cache.bytes(of: photo.blob).count == photo.blob.sizeBytes)
    #expect(try await folder.run(cache).files.map(\.word) == ["unchanged"])
  }

  @Test func aDryRunTellsTheSameAndStoresNothing() async throws {
    for image in images { try folder.add(image, as: image) }
    try folder.add(images[0], as: "zz.jpg")
    let cache = try folder.openCache()
    let dry = try await folder.run(cache) { $0.dryRun = true }
    #expect(try await cache.photos().isEmpty)
    #expect(try !cache.folder.hasPictures())
    #expect(try folder.incoming(cache).isEmpty)
    let real = try await folder.run(cache)
    #expect(dry.files.map(\.word) == real.files.map(\.word))
  }

  @Test func twoImportsAtOnceMakeOnePhotoOfEachPicture() async throws {
    let many = TestImage.accepted.map(\.file)
    for image in many { try folder.add(image, as: image) }
    // Two connections, as two processes have.
    async let one = folder.run(try folder.openCache())
    async let other = folder.run(try folder.openCache())
    let (first, second) = try await (one.summary, other.summary)
    let cache = try folder.openCache()
    #expect(first.files == second.files)
    await #expect(first.imported + second.imported == (try cache.photos().count))
    let digests = try await cache.photos().map(\.source.sha256)
    #expect(Set(digests).count == digests.count)
    #expect(try await cache.verify(all: true).isClean)
    #expect(try folder.incoming(cache).isEmpty)
  }

  @Test func aCancelledImportRecordsWhatIsDoneAndCanGoOn() async throws {
    for image in TestImage.accepted { try folder.add(image.file, as: image.file) }
    let cache = try folder.openCache()
    let folder = folder
    let task = Task { try await folder.run(cache).summary }
    task.cancel()
    let first = try await task.value
    #expect(first.stopped == .interrupted)
    await #expect(first.imported == (try cache.photos().count))
    let second = try await folder.run(cache).summary
    #expect(second.files == TestImage.accepted.count)
    #expect(second.unchanged >= first.imported)
  }

  @Test func clearsUpBehindAKilledImportAndNobodyElse() async throws {
    try folder.add(images[0], as: "1.jpg")
    let cache = try folder.openCache()
    let dead = cache.folder.path + "/incoming/4194304-1-\(String(repeating: "0a", count: 16))-1"
    let alive = cache.folder.incoming + "/" + (try cache.files.newIncomingName())
    for path in [dead, alive] { try Data("x".utf8).write(to: URL(filePath: path)) }
    _ = try await folder.run(cache) { $0.dryRun = true }
    #expect(try folder.incoming(cache).count == 2)
    _ = try await folder.run(cache)
    #expect(try folder.incoming(cache).map { cache.folder.path + "/incoming/" + $0 } == [alive])
  }

  @Test("If reporting an input fails, no picture is left behind", arguments: [1, 40])
  func aTellerThatFails(_ failing: Int) async throws {
    let photo = try Data(contentsOf: TestImage.folder.appending(path: "gps-exif.jpg"))
    for number in 0..<80 {
      let comment = Data([0xFF, 0xFE, 0, 4, UInt8(number), 0])
      try folder.add(photo.prefix(2) + comment + photo.dropFirst(2), as: "\(number).jpg")
    }
    let cache = try folder.openCache()
    let told = Atomic(0)
    let importer = PhotoImporter(cache: cache, pipeline: PhotoPipeline(decoding: .inProcess))
    let full = StoreError.storageFull(operation: "write", path: "standard output", errno: ENOSPC)
    await #expect(throws: full) {
      try await importer.importPhotos([FilePath(folder.photos.path)]) { _ in
        if told.add(1, ordering: .relaxed).newValue == failing { throw full }
      }
    }
    #expect(try folder.incoming(cache).isEmpty)
    #expect(try await cache.verify(all: true).isClean)
    #expect(try await folder.run(cache).summary.files == 80)
  }

  @Test(
    "Times before 1678 and after 2262 are supported", arguments: [-11_000_000_000, 15_000_000_000])
  func timesBeyondNanoseconds(_ seconds: Int) async throws {
    let file = try folder.add("gps-exif.jpg", as: "1.jpg")
    let times = [timespec](repeating: timespec(tv_sec: seconds, tv_nsec: 5), count: 2)
    #expect(utimensat(AT_FDCWD, file.path, times, 0) == 0)
    let cache = try folder.openCache()
    #expect(try await folder.run(cache).files.map(\.word) == ["imported"])
    #expect(try await folder.run(cache).files.map(\.word) == ["unchanged"])
    #expect(try await folder.run(cache) { $0.deletesSources = true }.summary.deletedSources == 1)
  }

  @Test func memoryForOnePhotoOnlyStillImportsAll() async throws {
    for image in images { try folder.add(image, as: image) }
    let (summary, _) = try await folder.run(try folder.openCache()) { $0.memoryBytes = 1 }
    #expect(summary.imported == 3)
  }

  @Test func aFileHeldOpenForWritingIsLeftForLater() async throws {
    let file = try folder.add(images[0], as: "1.jpg")
    // Without O_CLOEXEC, programs that other tests start in the meantime would keep the file open.
    let writer = open(file.path, O_WRONLY | O_CLOEXEC)
    try #require(writer >= 0)
    let cache = try folder.openCache()
    #expect(try await folder.run(cache).files.map(\.word) == ["skipped-changing"])
    close(writer)
    #expect(try await folder.run(cache).files.map(\.word) == ["imported"])
  }
}
