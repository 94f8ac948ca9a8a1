import Foundation
import HTTPTypes
import HummingbirdCore
import PhotoUploads

/// Reports whether photos and announcements can be stored now. It doesn't wait for other requests, and waits at most
/// 1.5 s for the stores.
struct HealthResource: Sendable {
  let stores: Stores
  let limits: Limits
  let checks: StoreChecks

  private static let limit = Duration.milliseconds(1500)

  private struct Health: Encodable {
    var status = "ok"
    var database: String?
    var pictures: String?
    /// `low` if there is no room for the largest photo, otherwise `nil`.
    var space: String?
    var timestamp = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// `GET /api/health`
  @Sendable func sendHealth(_ context: RequestContext) async throws -> Response {
    async let database = checks.problem(of: .database, within: Self.limit)
    async let pictures = checks.problem(of: .pictures, within: Self.limit)
    var health = Health()
    health.database = await database?.code
    health.pictures = await pictures?.code
    if health.database == nil, health.pictures == nil {
      let bytes = limits.photoBytes
      let isLow = await limits.freeSpace.query(on: stores.files, within: Self.limit) {
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
