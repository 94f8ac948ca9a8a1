import Foundation
import PhotoAttachments
import StoreConformance
import Testing

@testable import PhotoUploads

@Suite("Turns at an upload")
struct UploadLeasesTests {
  let uploads = TestUploads()

  @Test("Another process that shares the folder has to wait")
  func otherProcess() throws {
    let (one, other) = (uploads.store(), uploads.store())
    let token = try one.create(4).token
    let writer = try one.writer(token, at: 0)
    try writer.write([1, 2])
    #expect(throws: UploadError.inUse) { try other.writer(token, at: 0) }
    #expect(throws: UploadError.inUse) { try other.remove(token, owner: "draft:1") }
    #expect(try other.fetchUpload(token).offset == 0)
    writer.close()
    let next = try other.writer(token, at: 2)
    try next.write([3, 4])
    #expect(try next.sync() == 4)
    try next.finish(.confirmed)
    #expect(try one.fetchUpload(token).outcome == .confirmed)
  }

  /// Every storage keeps this rule. Here the test looks at the files on the disk.
  @Test("Many writers at once leave one complete file", .timeLimit(.minutes(30)))
  func crowd() throws {
    let (store, bytes) = (uploads.store(), TestUploads.bytes(200_000))
    let token = try store.create(bytes.count).token
    #expect(try UploadRule.sentAtOnce(bytes, as: token, to: [store], piece: 3000) == [bytes])
    #expect(uploads.files == [token + ".json"])
  }
}
