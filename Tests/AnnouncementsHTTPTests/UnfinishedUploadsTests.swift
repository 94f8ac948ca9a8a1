import Foundation
import Testing

@testable import AnnouncementsHTTP

@Suite("The record of unfinished uploads")
struct UnfinishedUploadsTests {
  @Test("Uploads that are recorded at the same time are all kept")
  func together() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let uploads = UnfinishedUploads(file: folder.appending(path: "sent-uploads.json"))
    let address = try #require(URL(string: "http://localhost/uploads/1"))
    await withTaskGroup(of: Void.self) { group in
      for number in 1...50 {
        group.addTask { uploads.recordAddress(address, to: "place \(number)", sha256: "ab") }
      }
    }
    for number in 1...50 {
      #expect(uploads.upload(to: "place \(number)", sha256: "ab") == address)
    }
  }
}
