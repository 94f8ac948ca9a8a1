import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// Tells whether photos and announcements can be kept now.
struct HealthResource: Sendable {
  let site: Site

  private struct Health: Encodable {
    let status: String
    let timestamp: String
    /// `low` while nothing can be added; nil otherwise.
    let space: String?
  }

  /// `GET /api/health`
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    do {
      _ = try await site.announcements.announcements(matching: .init(limit: 1))
      _ = try await site.photos.photos(limit: 1)
      let folder = site.photos.folder.path
      guard try await site.files.run({ access(folder, R_OK | W_OK) }) == 0 else {
        throw ErrorResponse.busy()
      }
    } catch {
      context.logger.error("not healthy", metadata: ["error": "\(error)"])
      throw ErrorResponse(
        .serviceUnavailable, "UNAVAILABLE", "The store can't be used right now.",
        headers: [.retryAfter: "10"])
    }
    let space = site.freeSpace
    let isLow = try await site.files.run { space.isLow() }
    let moment = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    return .json(.ok, Health(status: "ok", timestamp: moment, space: isLow ? "low" : nil))
  }
}
