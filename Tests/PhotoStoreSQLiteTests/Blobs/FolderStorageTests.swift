import Foundation
import Glibc
import Testing

@testable import PhotoAttachments
@testable import PhotoIngestion
@testable import PhotoStoreSQLite
import TestStores
import TestPictures

@Suite struct FolderStorageTests {
  let cache = TemporaryCache()
  let store: FolderStorage

  init() throws {
    try cache.folder.make()
    store = FolderStorage(FolderWorker(folder: cache.folder))
  }

  @Test func aPictureLiesUnderItsDigestReadOnly() throws {
    let picture = EncodedPicture.png(1)
    let stored = try store.put(picture, kind: .blob)
    let digest = picture.sha256
    #expect(stored.path == "blobs/\(digest.prefix(2))/\(digest.dropFirst(2)).png")
    #expect(stored.sizeBytes == picture.bytes.count)
    #expect(cache.files == [stored.path])
    let path = cache.folder.path + "/" + stored.path
    #expect(try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) == picture.bytes)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o444)
  }

  @Test("Only this program's own leftovers are deleted from incoming/")
  func unfinished() throws {
    let foreign = [
      "notes.txt", "2024-05-06-IMG.jpg", String(repeating: "a", count: 32) + "-copy.jpg",
      "upload-1-1.part", "link",
    ]
    for name in foreign.dropLast() { try cache.write("not ours", to: "incoming/" + name) }
    try FileManager.default.createSymbolicLink(
      atPath: cache.folder.incoming + "/link", withDestinationPath: "notes.txt")
    for name in ["1-1-0-ff", String(repeating: "b", count: 32) + "-1", "upload-1-1"] {
      try cache.write("left behind", to: "incoming/" + name)
    }
    #expect(try store.removeUnfinished(dryRun: true) { _ in true }.files == 3)
    #expect(try store.removeUnfinished(dryRun: false) { _ in true }.files == 3)
    let names = try FileManager.default.contentsOfDirectory(atPath: cache.folder.incoming)
    #expect(names.sorted() == foreign.sorted())
  }

  @Test func equalBytesAreStoredOnce() throws {
    let first = try store.put(.png(1), kind: .blob)
    var before = stat()
    stat(cache.folder.path + "/" + first.path, &before)
    #expect(try store.put(.png(1), kind: .blob) == first)
    var after = stat()
    stat(cache.folder.path + "/" + first.path, &after)
    #expect(before.st_ino == after.st_ino)
    #expect(cache.files == [first.path])
  }

  @Test(
    "Damage is replaced, and anything but a file is moved aside",
    arguments: ["truncated", "flipped", "link", "pipe"])
  func damage(_ how: String) throws {
    let picture = EncodedPicture.png(2)
    let path = cache.folder.path + "/" + (try store.put(picture, kind: .blob)).path
    unlink(path)
    switch how {
    case "truncated": try Data(picture.bytes.dropLast()).write(to: URL(fileURLWithPath: path))
    case "flipped":
      var bytes = picture.bytes
      bytes[20] ^= 1
      try Data(bytes).write(to: URL(fileURLWithPath: path))
    case "pipe": #expect(mkfifo(path, 0o600) == 0)
    default:
      // A link to equal bytes elsewhere isn't a stored picture either.
      let elsewhere = cache.folder.path + "/elsewhere"
      try Data(picture.bytes).write(to: URL(fileURLWithPath: elsewhere))
      #expect(symlink(elsewhere, path) == 0)
    }
    var before = stat()
    #expect(lstat(path, &before) == 0)
    let stored = try store.put(picture, kind: .blob)
    #expect(try store.readPicture(#require(BlobPath(relativePath: stored.path))) == picture.bytes)
    var status = stat()
    #expect(lstat(path, &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFREG)
    let aside = try store.list(.quarantine).map(\.relativePath)
    #expect(aside.count == (before.st_mode & S_IFMT == S_IFREG ? 0 : 1))
    guard let aside = aside.first else { return }
    #expect(lstat(cache.folder.path + "/" + aside, &status) == 0)
    #expect(status.st_ino == before.st_ino && status.st_mode == before.st_mode)
  }

  @Test func deletingFollowsNoLinkOutOfTheCache() throws {
    let place = try #require(
      BlobPath(relativePath: try store.put(.png(3), kind: .blob).path))
    let outside = TemporaryCache()
    try FileManager.default.createDirectory(
      atPath: outside.folder.path, withIntermediateDirectories: true)
    let shard = cache.folder.path + "/blobs/" + place.shard
    try FileManager.default.moveItem(
      atPath: shard, toPath: outside.folder.path + "/shard")
    #expect(symlink(outside.folder.path + "/shard", shard) == 0)
    #expect(throws: StoreError.self) { try store.remove(place) }
    #expect(throws: StoreError.self) { try store.readPicture(place) }
    #expect(throws: StoreError.self) { try store.put(.png(3), kind: .blob) }
    #expect(FileManager.default.fileExists(atPath: outside.folder.path + "/shard/" + place.name))
  }

  @Test(
    "A path has exactly one spelling",
    arguments: [
      "blobs/../../etc/passwd", "/blobs/ab/cd.png", "blobs/ab/cd.png",
      "database/ab/" + String(repeating: "c", count: 62) + ".png",
      "blobs/ab/" + String(repeating: "c", count: 61) + "/.png",
      "blobs/ab/" + String(repeating: "C", count: 62) + ".png",
      "blobs/ab/" + String(repeating: "c", count: 62) + ".heic",
      "blobs/ab/" + String(repeating: "c", count: 62) + ".png.png",
      "blobs/ab/" + String(repeating: "c", count: 62) + ".png/..",
      "blobs/ab/" + String(repeating: "é", count: 31) + ".png",
    ])
  func paths(_ path: String) {
    #expect(BlobPath(relativePath: path) == nil)
  }

  @Test("Each kind and format has its path", arguments: ["jpg", "png", "gif", "webp"])
  func goodPaths(_ suffix: String) {
    for kind in ["blobs", "previews"] {
      let path = "\(kind)/0f/" + String(repeating: "a", count: 62) + "." + suffix
      #expect(BlobPath(relativePath: path)?.relativePath == path)
    }
  }

  @Test(.enabled(if: SmallDisk.isPossible))
  func aFullDiskLeavesNothingHalf() throws {
    let disk = try #require(SmallDisk(options: "size=256k"))
    let folder = CacheFolder(path: disk.path + "/cache")
    try folder.make()
    let store = FolderStorage(FolderWorker(folder: folder))
    let small = try store.put(.png(5), kind: .blob)
    let error = #expect(throws: StoreError.self) { try store.put(.bulk(1 << 20), kind: .blob) }
    #expect(error?.code == "storage-full")
    #expect(error?.systemErrno == ENOSPC)
    #expect(try folder.entries(of: "incoming").isEmpty)
    #expect(
      try store.readPicture(#require(BlobPath(relativePath: small.path)))
        == EncodedPicture.png(5).bytes)
    // Space that is freed is used.
    disk.remount("size=4m")
    #expect(try store.put(.bulk(1 << 20), kind: .blob).sizeBytes == 1 << 20)
  }

  @Test(.enabled(if: SmallDisk.isPossible))
  func noInodesAreAFullDisk() throws {
    let disk = try #require(SmallDisk(options: "size=1m,nr_inodes=8"))
    let folder = CacheFolder(path: disk.path + "/cache")
    try folder.make()
    let store = FolderStorage(FolderWorker(folder: folder))
    let errors = (0..<8).compactMap { number -> StoreError? in
      do throws(StoreError) {
        _ = try store.put(.png(number), kind: .blob)
        return nil
      } catch { return error }
    }
    #expect(!errors.isEmpty)
    #expect(errors.allSatisfy { $0.code == "storage-full" })
    #expect(try folder.entries(of: "incoming").isEmpty)
  }
}
