import Foundation
import PhotoAttachments
import StoreConformance
import Synchronization
import Testing

@testable import PetSpotServer

@Suite("Uploads")
struct UploadStoreTests {
  let uploads = TestUploads()

  @Test("A folder keeps every rule of uploads", arguments: UploadRule.all)
  func rules(_ rule: UploadRule) async {
    let path = uploads.path
    let place = UploadPlace { limits, now in
      UploadStore(folder: UploadFolder(path: path), limits: limits, now: now)
    }
    let findings = await rule.findings(in: place)
    #expect(findings == [])
  }

  @Test("An upload is made, written in parts, finished, remembered and forgotten")
  func life() throws {
    let (store, bytes) = (uploads.store(), TestUploads.bytes(600_000))
    let upload = try store.create(bytes.count)
    #expect(UploadToken.isToken(upload.token))
    #expect(upload.fileName == "cat.jpg")
    #expect(upload.expires == uploads.now.addingTimeInterval(24 * 3600))
    #expect(try store.look(upload.token) == upload)

    let first = try store.writer(upload.token, at: 0, adding: 1000)
    try first.write(bytes[..<1000])
    #expect(try first.sync() == 1000)
    first.close()
    #expect(try store.look(upload.token).offset == 1000)

    let second = try store.writer(upload.token, at: 1000)
    for start in stride(from: 1000, to: bytes.count, by: 65_536) {
      try second.write(bytes[start..<min(start + 65_536, bytes.count)])
    }
    #expect(try second.sync() == bytes.count)
    #expect(try second.bytes() == bytes)
    let finished = try second.finish(.confirmed)
    #expect(finished.outcome == .confirmed && finished.offset == bytes.count)
    #expect(try store.look(upload.token) == finished)
    #expect(uploads.files == [upload.token + ".json"])

    uploads.wait(599)
    #expect(try store.look(upload.token) == finished)
    #expect(try store.sweep() == 0)
    uploads.wait(1)
    #expect(throws: UploadError.notFound) { try store.look(upload.token) }
    #expect(try store.sweep() == 1)
    #expect(uploads.files.isEmpty)
  }

  @Test("A refusal is answered again, also after a restart")
  func refusal() throws {
    let upload = try uploads.store().create(3)
    let refusal = UploadOutcome.refused(status: 422, body: Array("{}\u{0}ł".utf8))
    let writer = try uploads.store().writer(upload.token, at: 0)
    try writer.write([1, 2, 3])
    _ = try writer.sync()
    try writer.finish(refusal)
    writer.close()
    let store = uploads.store()
    let appending = try store.append(upload.token, owner: "draft:1", at: 3, adding: 0)
    guard case .finished(let again, refusal) = appending else { throw UploadError.notFound }
    #expect(again.offset == 3)
    #expect(throws: UploadError.wrongOffset(expected: 3)) { try store.writer(upload.token, at: 0) }
    #expect(throws: UploadError.pastLength) { try store.writer(upload.token, at: 3, adding: 1) }
    try store.remove(upload.token, owner: "draft:1")
    #expect(uploads.files.isEmpty)
  }

  @Test("What came before the line broke is kept, and a new process goes on", arguments: 0...11)
  func restart(pieces: Int) throws {
    let (bytes, piece) = (TestUploads.bytes(700_000), 65_536)
    let token = try uploads.store().create(bytes.count).token
    let writer = try uploads.store().writer(token, at: 0)
    let cut = min(pieces * piece, bytes.count)
    for start in stride(from: 0, to: cut, by: piece) {
      try writer.write(bytes[start..<min(start + piece, cut)])
    }
    if pieces % 2 == 0 { writer.close() }
    // A process that is killed closes its files without a word.
    let store = try pieces % 2 == 0 ? uploads.store() : uploads.copy().keeping { $0.store() }
    let offset = try store.look(token).offset
    #expect(pieces % 2 == 0 ? offset == cut : offset <= cut && cut - offset < UploadWriter.piece)
    let next = try store.writer(token, at: offset, adding: bytes.count - offset)
    try next.write(bytes[offset...])
    #expect(try next.sync() == bytes.count)
    #expect(try next.bytes() == bytes)
  }

  @Test("Bytes that a killed process did not sync are synced before they are told")
  func unsynced() throws {
    let calls = Mutex([String]())
    let upload = try uploads.store().create(10)
    try uploads.write([1, 2, 3], to: upload.token)
    let store = uploads.store { call in calls.withLock { $0.append(call) } }
    #expect(try store.look(upload.token).offset == 3)
    #expect(calls.withLock { $0 } == ["fdatasync data"])
    #expect(try store.look(upload.token).offset == 3)
    _ = try store.writer(upload.token, at: 3)
    #expect(calls.withLock { $0 } == ["fdatasync data"])
    // Longer than its length it can never be told to be.
    try uploads.write(TestUploads.bytes(20), to: upload.token)
    #expect(try store.look(upload.token).offset == 10)
    #expect(try store.writer(upload.token, at: 10).bytes() == Array(TestUploads.bytes(20)[..<10]))
  }

  @Test("Nobody else's upload is found, and nothing that is no token")
  func owners() throws {
    let store = uploads.store()
    let token = try store.create(1).token
    #expect(throws: UploadError.notFound) { try store.look(token, owner: "draft:2") }
    #expect(throws: UploadError.notFound) { try store.append(token, owner: "draft:2", at: 0) }
    #expect(throws: UploadError.notFound) { try store.remove(token, owner: "draft:2") }
    for name in [
      "", "..", token.uppercased(), token + "0", token + ".json", String(token.dropLast()),
      "../" + token, String(repeating: "٣", count: 16), String(repeating: "g", count: 32),
    ] {
      #expect(throws: UploadError.notFound) { try store.look(name) }
      #expect(throws: UploadError.notFound) { try store.writer(name, at: 0) }
      #expect(throws: UploadError.notFound) { try store.remove(name, owner: "draft:1") }
    }
    // Not even when there is a record that could be read.
    let record = try Data(contentsOf: URL(filePath: uploads.path + "/" + token + ".json"))
    try uploads.write([UInt8](record), to: "README.json")
    try uploads.write([], to: "README")
    #expect(throws: UploadError.notFound) { try store.look("README") }
    #expect(throws: UploadError.notFound) { try store.remove("README", owner: "draft:1") }
    try store.remove(token, owner: "draft:1")
    #expect(throws: UploadError.notFound) { try store.look(token) }
    #expect(uploads.files == ["README", "README.json"])
  }
}

extension TestUploads {
  /// Something of it that needs it to stay until the test's process ends.
  func keeping<T>(_ part: (TestUploads) -> T) -> T {
    kept.withLock { $0.append(self) }
    return part(self)
  }
}

private let kept = Mutex([TestUploads]())
