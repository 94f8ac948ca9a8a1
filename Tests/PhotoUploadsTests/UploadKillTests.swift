import Foundation
import PhotoAttachments
import StoreConformance
import Synchronization
import Testing

@testable import PhotoUploads

/// The tests copy the folder after each call that changes it. If this process is killed at that point, the next one
/// finds the state of the copy.
@Suite("Uploads after a kill")
struct UploadKillTests {
  private let bytes = TestUploads.bytes(300_000)

  @Test("An upload's system calls are in the order that survives a power loss")
  func order() throws {
    let uploads = TestUploads()
    let calls = Mutex([String]())
    try live(uploads) { call in calls.withLock { $0.append(call) } }
    let record = ["create record", "write record", "fsync record", "rename record", "fsync folder"]
    #expect(
      calls.withLock { $0 } == ["mkdir", "create data", "fsync data"] + record
        + ["write data", "fdatasync data", "write data", "fdatasync data"]
        + record + ["unlink data", "unlink record", "fsync folder"])
  }

  @Test("After each call there is either no upload or one that can continue")
  func everyCall() throws {
    let uploads = TestUploads()
    let copies = Mutex([(call: String, told: Int?, copy: TestUploads)]())
    let told = Mutex(Int?.none)
    try live(uploads, told: told) { call in
      let copy = Result { try uploads.copy() }
      copies.withLock {
        if let copy = try? copy.get() { $0.append((call, told.withLock { $0 }, copy)) }
      }
    }
    let states = copies.withLock { $0 }
    #expect(states.count == 20)
    var seen: Set<String> = []
    for state in states {
      let store = state.copy.store()
      let names = state.copy.files
      let token = names.first.map { String($0.prefix(32)) } ?? UploadToken.new()
      do {
        let upload = try store.fetchUpload(token)
        seen.insert(upload.outcome == nil ? "open" : "finished")
        // A byte that was confirmed is never requested again.
        #expect(upload.offset >= state.told ?? 0, "\(state.call)")
        if upload.outcome == nil {
          let writer = try store.writer(token, at: upload.offset)
          try writer.write(bytes[upload.offset...])
          #expect(try writer.sync() == bytes.count)
          #expect(try writer.bytes() == bytes, "\(state.call)")
          try writer.finish(.confirmed)
        }
      } catch {
        #expect(error as? UploadError == .notFound)
        #expect(state.told == nil, "\(state.call) lost an upload that was told")
        seen.insert("none")
      }
      // Everything is deleted in the end.
      state.copy.wait(49 * 3600)
      try store.sweep()
      #expect(state.copy.files.isEmpty, "\(state.call)")
    }
    #expect(seen == ["none", "open", "finished"])
  }

  /// Runs one upload from its creation to its removal.
  ///
  /// - Parameter told: the offset that the client received last; `nil` before it has the upload's address and after its
  ///   removal.
  private func live(
    _ uploads: TestUploads, told: borrowing Mutex<Int?> = Mutex(nil),
    changed: @escaping @Sendable (String) -> Void
  ) throws {
    let store = uploads.store(changed: changed)
    let token = try store.create(bytes.count).token
    told.withLock { $0 = 0 }
    let writer = try store.writer(token, at: 0)
    try writer.write(bytes[..<270_000])
    let offset = try writer.sync()
    told.withLock { $0 = offset }
    try writer.write(bytes[270_000...])
    let end = try writer.sync()
    told.withLock { $0 = end }
    try writer.finish(.confirmed)
    told.withLock { $0 = nil }
    try store.remove(token, owner: "draft:1")
  }
}
