import Foundation
import Glibc
import PhotoAttachments
import StoreConformance
import TestStores
import Testing

@testable import PhotoUploads

@Suite("Limits of uploads")
struct UploadLimitsTests {
  let uploads = TestUploads()

  @Test("A machine has a limit of open uploads, and those of other processes count after a sweep")
  func perMachine() throws {
    var limits = UploadLimits()
    limits.open = 3
    let (one, other) = (uploads.store(limits: limits), uploads.store(limits: limits))
    _ = try other.create(1, client: "::9")
    uploads.wait(100)
    let tokens = try (0..<2).map { try one.create(1, client: "\($0)").token }
    #expect(throws: UploadError.busy) { try one.create(1, client: "0") }
    _ = try other.create(1, client: "::8")
    uploads.wait(100)
    try other.sweep()
    #expect(throws: UploadError.busy) { try other.create(1, client: "::9") }
    for token in tokens { try one.remove(token, owner: "draft:1") }
    try other.sweep()
    _ = try other.create(1, client: "::9")
  }

  @Test(
    "A damaged record is no upload, is kept with its bytes, and fails the sweep",
    arguments: ["", "{", "[]", #"{"owner":"draft:1"}"#, "\u{0}\u{0}"])
  func damaged(_ json: String) throws {
    let store = uploads.store()
    let token = try store.create(1).token
    let other = try store.create(1).token
    try uploads.write(Array(json.utf8), to: token + ".json")
    #expect(throws: UploadError.notFound) { try store.fetchUpload(token) }
    #expect(throws: UploadError.notFound) { try store.writer(token, at: 0) }
    let record = uploads.path + "/" + token + ".json"
    #expect(throws: StoreError.storage(operation: "decode", path: record, errno: EBADMSG)) {
      try store.sweep()
    }
    #expect(uploads.files == [other, other + ".json", token, token + ".json"].sorted())
  }

  @Test("An upload whose bytes are gone can't continue")
  func lostBytes() throws {
    let store = uploads.store()
    let token = try store.create(1).token
    unlink(uploads.path + "/" + token)
    // A link isn't followed either.
    symlink("/etc/passwd", uploads.path + "/" + token)
    #expect(throws: UploadError.notFound) { try store.fetchUpload(token) }
    #expect(throws: UploadError.notFound) { try store.writer(token, at: 0) }
    try store.remove(token, owner: "draft:1")
    #expect(uploads.files.isEmpty)
  }

  @Test("Old leftovers are swept, but foreign files stay")
  func strays() throws {
    let (old, new) = (UploadToken.new(), UploadToken.new())
    for (token, age) in [(old, 3601.0), (new, 3599.0)] {
      for name in [token, token + ".json.new"] { try uploads.write([1], to: name, age: age) }
    }
    let foreign = ["README", old + ".jpg", old.uppercased(), "0" + old]
    for name in foreign { try uploads.write([1], to: name, age: 1e6) }
    // An upload continues although its process was killed while it wrote the outcome.
    let open = try uploads.store().create(1).token
    try uploads.write([1], to: open + ".json.new", age: 3601)
    #expect(try uploads.store().sweep() == 2)
    let kept = foreign + [new, new + ".json.new", open, open + ".json"]
    #expect(uploads.files == kept.sorted())
  }

  @Test("A folder that was deleted is created again, for this user only")
  func folder() throws {
    let store = uploads.store()
    #expect(throws: UploadError.notFound) { try store.fetchUpload(UploadToken.new()) }
    #expect(try store.sweep() == 0)
    for _ in 0..<2 {
      let token = try store.create(1).token
      var status = stat()
      #expect(stat(uploads.path, &status) == 0 && status.st_mode & 0o777 == 0o700)
      try FileManager.default.removeItem(atPath: uploads.path)
      #expect(throws: UploadError.notFound) { try store.fetchUpload(token) }
    }
  }

  @Test("When the disk is full, accepted bytes are kept", .enabled(if: SmallDisk.isPossible))
  func fullDisk() throws {
    let disk = try #require(SmallDisk(options: "size=512k"))
    let uploads = TestUploads(at: disk.path + "/uploads")
    let (store, bytes) = (uploads.store(), TestUploads.bytes(1 << 20))
    let token = try store.create(bytes.count).token
    let writer = try store.writer(token, at: 0)
    #expect(throws: UploadError.storageFull) { try writer.write(bytes) }
    #expect(throws: UploadError.storageFull) { try writer.write([1]) }
    #expect(throws: UploadError.storageFull) { _ = try writer.sync() }
    writer.close()
    #expect(throws: UploadError.storageFull) { try store.create(1) }
    disk.remount("size=4m")
    let offset = try store.fetchUpload(token).offset
    #expect(offset > 0 && offset < 512 << 10)
    let next = try store.writer(token, at: offset)
    try next.write(bytes[offset...])
    #expect(try next.sync() == bytes.count)
    #expect(try next.bytes() == bytes)
    #expect(uploads.files == [token, token + ".json"])
  }
}
