import Foundation
import HTTPTypes
import HummingbirdCore

/// Reports whether photos and announcements can be stored now. It doesn't wait for other requests, and waits at most
/// 1.5 s for the stores.
struct HealthResource: Sendable {
  let site: Site

  private static let limit = Duration.milliseconds(1500)

  private struct Health: Encodable {
    var status = "ok"
    var database: String?
    var pictures: String?
    /// `low` if there is no room for the largest photo, otherwise `nil`.
    var space: String?
    var timestamp = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  init(site: Site) { self.site = site }

  /// `GET /api/health`
  @Sendable func sendHealth(_ context: RequestContext) async throws -> Response {
    async let database = site.checks.problem(of: .database, within: Self.limit)
    async let pictures = site.checks.problem(of: .pictures, within: Self.limit)
    var health = Health()
    health.database = await database?.code
    health.pictures = await pictures?.code
    if health.database == nil, health.pictures == nil {
      let bytes = site.configuration.uploadLimit
      let isLow = await site.freeSpace.query(on: site.files, within: Self.limit) {
        $0.isLow(for: bytes)
      }
      health.space = isLow == true ? "low" : nil
      return .json(.ok, health)
    }
    health.status = "unavailable"
    var response = Response.json(.serviceUnavailable, health)
    response.headers[.retryAfter] = "10"
    return response
  }
}
