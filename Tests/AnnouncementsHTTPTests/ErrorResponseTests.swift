import Announcements
import Foundation
import HTTPClient
import Testing

@testable import AnnouncementsHTTP

@Suite("Errors of a server")
struct ErrorResponseTests {
  @Test("Space for pictures that comes back in days isn't reported as too many attempts")
  func spaceUsedUp() throws {
    let (server, now) = (try #require(ServerAddress("http://127.0.0.1")), Date())
    func error(retryAfter seconds: Int) -> AnnouncementError? {
      HTTPResponse(status: 429, headers: ["retry-after": "\(seconds)"])
        .error(of: server, now: now) as? AnnouncementError
    }
    #expect(error(retryAfter: 86_400) == .spaceUsedUp(until: now + 86_400))
    #expect(error(retryAfter: 60) == .throttled(until: now + 60))
  }
}
