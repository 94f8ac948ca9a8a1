import Foundation
import GRDB
import Logging
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import TestReports
import Testing

@testable import PhotoStoreSQLite
@testable import TestStores

/// Several processes that begin on one cache.
@Suite struct ReportDatabaseTests {
  private let url = FileManager.default.temporaryDirectory
    .appending(path: "report-\(UUID().uuidString)")

  private func open() throws -> PhotoAttachmentCache {
    try PhotoAttachmentCache.open(CacheFolder(path: url.path), decoders: nil)
  }

  @Test("Many that begin at once on a new cache all get their tables")
  func manyAtOnce() async throws {
    defer { try? FileManager.default.removeItem(at: url) }
    let caches = try (0..<4).map { _ in try open() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, cache) in caches.enumerated() {
        for draft in 0..<4 {
          group.addTask {
            let wrote = try RecordedDrafts(cache).write(
              "{}", of: "\(index) \(draft)", over: nil, at: Date())
            #expect(wrote != nil)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try RecordedDrafts(try open()).ids(untouchedSince: nil).count == 16)
  }
}
