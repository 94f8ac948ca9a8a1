import CMalloc
import Foundation
import Logging
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import ServiceLifecycle

/// A service that the log names by its type; otherwise it would print all that it holds.
protocol NamedService: Service, CustomStringConvertible {}

extension NamedService {
  var description: String { "\(Self.self)" }
}

/// Work that is repeated until the server ends.
struct RepeatedWork: NamedService {
  /// Names it in the log.
  let description: String
  /// Between two times.
  let pause: Duration
  /// Before the first time.
  var delay = Duration.zero
  let work: @Sendable () async -> Void
  var end: @Sendable () -> Void = {}

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      try await Task.sleep(for: delay)
      while true {
        await work()
        try await Task.sleep(for: pause)
      }
    }
    end()
  }
}

extension RepeatedWork {
  /// Gives the system back, once a minute, what isn't needed: pages that the catalog keeps to be faster,
  /// and what was freed (malloc_trim(3)), which glibc keeps where it lies between what is still in use.
  static func trimmingMemory(of photos: PhotoAttachmentCache) -> Self {
    Self(description: "MemoryTrimming", pause: .seconds(60), delay: .seconds(60)) {
      photos.releaseMemory()
      malloc_trim(0)
    }
  }

  /// Logs once a minute how many responses of clients over their share were not logged.
  static func summarizing(_ log: AccessLog) -> Self {
    Self(
      description: "LogSummaries", pause: .seconds(60), delay: .seconds(60), work: log.summarize,
      end: log.summarize)
  }

  /// Deletes uploads whose time is over, and web drafts and sizes beyond their space, every few minutes.
  static func sweepingUploads(of site: Site) -> Self {
    Self(description: "UploadSweeping", pause: .seconds(300)) {
      let uploads = site.uploads
      await site.warning("uploads not swept") {
        try await site.files.run { _ = try uploads.sweep() }
      }
      // A server that was started with less space.
      await site.warning("drafts not swept") { try await site.makeRoom() }
      await site.warning("sizes not swept") {
        _ = try await site.photos.trimSizes(to: site.configuration.sizeSpace)
      }
    }
  }

  /// Deletes once a day what `petspot sweep` deletes of reports and announcements, for a host that has no such command.
  static func sweepingReports(of site: Site) -> Self {
    Self(description: "ReportSweeping", pause: .seconds(24 * 3600)) {
      await site.warning("sweep failed") {
        _ = try await site.drafts.expire(
          before: Date(timeIntervalSinceNow: -PhotoAttachmentCache.draftLifetime), dryRun: false)
        _ = try await site.announcements.forgetClosed(
          before: Date(timeIntervalSinceNow: -AnnouncementStore.reopenSeconds), dryRun: false)
      }
    }
  }

  /// Asks for a newer list of species at the start and every hour, where one is configured (decision 19).
  static func refreshing(_ species: TaxonomySource) -> Self {
    Self(description: "SpeciesRefreshing", pause: .seconds(3600)) { await species.refresh() }
  }
}

extension Site {
  /// Does work whose failure keeps nothing else from being done.
  fileprivate func warning(
    _ message: Logger.Message, _ work: () async throws -> Void
  ) async {
    do { try await work() } catch { logger.warning(message, metadata: ["error": "\(error)"]) }
  }
}

/// Gives up sizes that are being made when the server ends: they can be made again, and one of a huge
/// picture takes longer than a request has to end.
struct SizesEnding: NamedService {
  let sizes: SizeMaker

  func run() async throws {
    try? await gracefulShutdown()
    sizes.stop()
  }
}
