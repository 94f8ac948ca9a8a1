import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import Synchronization

/// Says whether photos and announcements can be kept now. It waits for no other work, and never for long.
struct HealthResource: Sendable {
  let site: Site
  private let checks = HealthChecks()

  private static let limit = Duration.milliseconds(1500)

  private struct Health: Encodable {
    var status = "ok"
    var database: String?
    var pictures: String?
    /// `low` while the largest photo would be refused; nil otherwise.
    var space: String?
    var timestamp = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  init(site: Site) { self.site = site }

  /// `GET /api/health`
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    let database = checks.outcome("database", within: Self.limit) { [site] in
      try await site.announcements.checkDatabase()
    }
    let pictures = checks.outcome("pictures", within: Self.limit) { [site] in
      let folder = site.photos.folder.path
      guard try await site.files.run({ access(folder, R_OK | W_OK) }) == 0 else {
        throw ErrorResponse.busy()
      }
    }
    var health = Health()
    health.database = await database.value
    health.pictures = await pictures.value
    if health.database == nil, health.pictures == nil {
      health.space = site.freeSpace.isLow(for: site.configuration.uploadLimit) ? "low" : nil
      return .json(.ok, health)
    }
    health.status = "unavailable"
    context.logger.error(
      "not healthy",
      metadata: [
        "database": "\(health.database ?? "ok")", "pictures": "\(health.pictures ?? "ok")",
      ])
    var response = Response.json(.serviceUnavailable, health)
    response.headers[.retryAfter] = "10"
    return response
  }
}

/// Checks under way: one of a name at a time, however many ask and whatever becomes of it.
private final class HealthChecks: Sendable {
  private let underWay = Mutex<[String: Task<String?, Never>]>([:])

  /// What is wrong; nil when nothing is.
  func outcome(
    _ name: String, within limit: Duration, _ check: @escaping @Sendable () async throws -> Void
  ) -> Task<String?, Never> {
    let task = underWay.withLock { underWay in
      if let task = underWay[name] { return task }
      let task = Task.detached { [self] () -> String? in
        defer { self.underWay.withLock { $0[name] = nil } }
        do {
          try await check()
          return nil
        } catch StoreError.unreachable {
          return "unreachable"
        } catch StoreError.busy {
          return "busy"
        } catch {
          return "failed"
        }
      }
      underWay[name] = task
      return task
    }
    return Task.detached {
      let (outcomes, answer) = AsyncStream<String?>.makeStream()
      Task.detached { answer.yield(await task.value) }
      let clock = Task.detached {
        try? await Task.sleep(for: limit)
        answer.yield("no answer")
      }
      defer { clock.cancel() }
      for await outcome in outcomes { return outcome }
      return nil
    }
  }
}
