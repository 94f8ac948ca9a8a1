import Foundation
import Glibc
import PhotoAttachments
import StoreConformance
import Synchronization
import Testing

@testable import PhotoUploads

@Suite("Uploads")
struct FolderUploadsTests {
  let uploads = TestUploads()

  @Test("A folder keeps every rule of uploads", arguments: UploadRule.all)
  func rules(_ rule: UploadRule) async {
    let path = uploads.path
    let place = UploadPlace { limits, now in
      UploadRules(FolderUploads(UploadFolder(path: path)), limits: limits, now: now)
    }
    let findings = await rule.findings(in: place)
    #expect(findings == [])
  }

  @Test("A finished upload leaves only its record, which is swept later")
  func filesOfAFinishedOne() throws {
    let store = uploads.store()
    let upload = try store.create(3)
    let writer = try store.writer(upload.token, at: 0)
    try writer.write([1, 2, 3])
    _ = try writer.sync()
    try writer.finish(.confirmed)
    #expect(uploads.files == [upload.token + ".json"])
    uploads.wait(600)
    #expect(try store.sweep() == 1)
    #expect(uploads.files.isEmpty)
  }

  @Test(
    "Bytes received before a lost connection are kept, and a new process continues",
    arguments: 0...11)
  func restart(pieces: Int) throws {
    let (bytes, piece) = (TestUploads.bytes(700_000), 65_536)
    let token = try uploads.store().create(bytes.count).token
    let writer = try uploads.store().writer(token, at: 0)
    let cut = min(pieces * piece, bytes.count)
    for start in stride(from: 0, to: cut, by: piece) {
      try writer.write(bytes[start..<min(start + piece, cut)])
    }
    if pieces % 2 == 0 { writer.close() }
    // A killed process closes its files without any further write.
    let store = try pieces % 2 == 0 ? uploads.store() : uploads.copy().keeping { $0.store() }
    let offset = try store.fetchUpload(token).offset
    let lost = cut - offset
    #expect(pieces % 2 == 0 ? lost == 0 : (0..<FolderUploadLease.piece).contains(lost))
    let next = try store.writer(token, at: offset, adding: bytes.count - offset)
    try next.write(bytes[offset...])
    #expect(try next.sync() == bytes.count)
    #expect(try next.bytes() == bytes)
  }

  @Test("Unsynced bytes of a killed process are synced before they are reported")
  func unsynced() throws {
    let calls = Mutex([String]())
    let upload = try uploads.store().create(10)
    try uploads.write([1, 2, 3], to: upload.token)
    let store = uploads.store { call in calls.withLock { $0.append(call) } }
    #expect(try store.fetchUpload(upload.token).offset == 3)
    #expect(calls.withLock { $0 } == ["fdatasync data"])
    #expect(try store.fetchUpload(upload.token).offset == 3)
    _ = try store.writer(upload.token, at: 3)
    #expect(calls.withLock { $0 } == ["fdatasync data"])
    // The reported offset never exceeds the declared length.
    try uploads.write(TestUploads.bytes(20), to: upload.token)
    #expect(try store.fetchUpload(upload.token).offset == 10)
    #expect(try store.writer(upload.token, at: 10).bytes() == Array(TestUploads.bytes(20)[..<10]))
  }

  @Test(
    "An unreadable record is named and kept with its bytes, and the others are swept"
  )
  func damagedRecord() throws {
    let store = uploads.store()
    let (damaged, due) = (try store.create(3).token, try store.create(3).token)
    for content in ["", "{}", #"{"written":"by a later version"}"#] {
      try uploads.write(Array(content.utf8), to: damaged + ".json")
      let path = uploads.path + "/" + damaged + ".json"
      #expect(throws: StoreError.storage(operation: "decode", path: path, errno: EBADMSG)) {
        try store.sweep()
      }
      #expect(throws: UploadError.notFound) { try store.fetchUpload(damaged) }
    }
    uploads.wait(30 * 86_400)
    #expect(throws: StoreError.self) { try store.sweep() }
    #expect(uploads.files == [damaged, damaged + ".json"])
    #expect(!uploads.files.contains(due))
  }

  @Test("Links and folders with an upload's name are kept, and no link is used as the folder")
  func links() throws {
    let store = uploads.store()
    let token = try store.create(3).token
    try store.remove(token, owner: "draft:1")
    try FileManager.default.createSymbolicLink(
      atPath: uploads.path + "/" + token, withDestinationPath: "/etc/hostname")
    try FileManager.default.createDirectory(
      atPath: uploads.path + "/" + token + ".json", withIntermediateDirectories: false)
    uploads.wait(30 * 86_400)
    #expect(try store.sweep() == 0)
    #expect(uploads.files == [token, token + ".json"])
    let link = TestUploads()
    try FileManager.default.createSymbolicLink(
      atPath: link.path, withDestinationPath: uploads.path)
    #expect(throws: UploadError.self) { try link.store().create(3) }
    #expect(uploads.files == [token, token + ".json"])
  }

  @Test("A record with another name is not an upload")
  func otherNames() throws {
    let store = uploads.store()
    let token = try store.create(1).token
    for name in [token + ".json", String(repeating: "٣", count: 16)] {
      #expect(throws: UploadError.notFound) { try store.fetchUpload(name) }
    }
    let record = try Data(contentsOf: URL(filePath: uploads.path + "/" + token + ".json"))
    try uploads.write([UInt8](record), to: "README.json")
    try uploads.write([], to: "README")
    #expect(throws: UploadError.notFound) { try store.fetchUpload("README") }
    #expect(throws: UploadError.notFound) { try store.remove("README", owner: "draft:1") }
    try store.remove(token, owner: "draft:1")
    #expect(uploads.files == ["README", "README.json"])
  }
}

extension TestUploads {
  /// Returns a part of this value, and keeps the value alive until the process of the tests ends.
  func keeping<T>(_ part: (TestUploads) -> T) -> T {
    kept.withLock { $0.append(self) }
    return part(self)
  }
}

private let kept = Mutex([TestUploads]())
