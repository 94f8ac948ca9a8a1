import Foundation
import PhotoAttachments
import TestPostgres
import TestStores
import Testing

@testable import PhotoStorePostgres

@Suite(.enabled(if: TestServer.shared != nil, Comment(rawValue: TestServer.absence)))
struct ActsAtOnceTests {
  /// Runs two operations that can only end together.
  @Test("Database operations wait concurrently")
  func twoAtOnce() async throws {
    let cache = TemporaryCache()
    let photos = try TestDatabase().photos(cache)
    let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    async let one = photos.threads.finish {
      second.signal()
      return first.wait(timeout: .now() + 20) == .success
    }
    async let other = photos.threads.finish {
      first.signal()
      return second.wait(timeout: .now() + 20) == .success
    }
    let both = try await [one, other]
    #expect(both == [true, true])
  }
}
