import Announcements
import Foundation
import GRDB
import PhotoAttachments
import ReportFlow
import TestReports
import Testing

@testable import PhotoStoreSQLite
@testable import TestStores

/// Tests of passwords that are derived from the key of a create call.
@Suite struct KeyPasswordTests {
  let cache: TestCache
  let key = UUID()

  init() throws { cache = try TestCache() }

  private func repository() -> AnnouncementStore {
    AnnouncementStore(
      cache.photos, logger: cache.logger, now: TestTime().now)
  }

  @Test func thePasswordOfAKeyIsTheSameAfterARestartAndOnlyThere() async throws {
    let password = try await repository().managementPassword(idempotencyKey: "\(key)")
    #expect(password.wholeMatch(of: /([2-9A-HJKMNP-Z]{4}-){3}[2-9A-HJKMNP-Z]{4}/) != nil)
    #expect(try await repository().managementPassword(idempotencyKey: "\(key)") == password)
    #expect(try await repository().managementPassword(idempotencyKey: "\(UUID())") != password)
    let other = try TestCache()
    #expect(try await other.repository().managementPassword(idempotencyKey: "\(key)") != password)
  }
}
