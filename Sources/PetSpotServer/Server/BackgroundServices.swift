import CMalloc
import Foundation
import Logging
import PhotoAttachments
import PhotoIngestion
import PhotoUploads
import ReportFlow
import ServiceLifecycle

extension RepeatedWork {
  /// Releases unused memory once a minute: the page cache of the catalog, and freed memory that glibc keeps between
  /// blocks that are in use (malloc_trim(3)).
  static func trimmingMemory(of photos: PhotoAttachmentCache) -> Self {
    Self(description: "MemoryTrimming", pause: .seconds(60), delay: .seconds(60)) {
      photos.releaseMemory()
      malloc_trim(0)
    }
  }

  /// Logs once a minute how many responses were not logged because their clients exceeded their share.
  static func summarizing(_ log: AccessLog) -> Self {
    Self(
      description: "LogSummaries", pause: .seconds(60), delay: .seconds(60), work: log.summarize,
      end: log.summarize)
  }

  /// Deletes expired uploads, and web drafts and sizes beyond their space, every five minutes. Also updates the words
  /// that an earlier version wrote for searches.
  static func sweepingUploads(of parts: ServerParts) -> Self {
    let stores = parts.stores
    let uploads = parts.uploads.rules
    let logger = parts.logger
    return Self(description: "UploadSweeping", pause: .seconds(300)) {
      await logger.warning("uploads not swept") {
        try await stores.files.run { _ = try uploads.sweep() }
      }
      // The server may have been started with a smaller limit than before.
      await logger.warning("drafts not swept") {
        try await DraftAdmission(stores, parts.limits, logger).makeRoom()
      }
      await logger.warning("sizes not swept") {
        _ = try await stores.photos.trimSizes(to: parts.configuration.sizeSpace)
      }
      await logger.warning("words of searches not updated") {
        try await stores.announcements.updateWords()
      }
    }
  }

  /// Deletes once a day the reports and announcements that `petspot sweep` would delete, for a host without that
  /// command.
  static func sweepingReports(of stores: Stores, _ logger: Logger) -> Self {
    Self(description: "ReportSweeping", pause: .seconds(24 * 3600)) {
      await logger.warning("sweep failed") {
        _ = try await stores.drafts.expire(
          before: Date(timeIntervalSinceNow: -PhotoAttachmentCache.draftLifetime), dryRun: false)
        _ = try await stores.announcements.forgetClosed(
          before: Date(timeIntervalSinceNow: -AnnouncementStore.reopenSeconds), dryRun: false)
      }
    }
  }

  /// Fetches a newer list of species at the start and every hour, if a source is configured (decision 19).
  static func refreshing(_ species: TaxonomySource) -> Self {
    Self(description: "SpeciesRefreshing", pause: .seconds(3600)) { await species.refresh() }
  }
}

extension Logger {
  /// Runs work and logs its error as a warning, so that other work can continue.
  fileprivate func warning(
    _ message: Message, _ work: () async throws -> Void
  ) async {
    do { try await work() } catch { warning(message, metadata: ["error": "\(error)"]) }
  }
}

/// Stops making sizes when the server ends. They can be made again later, and a size of a huge picture can take longer
/// than requests have to finish.
struct SizesEnding: NamedService {
  let sizes: SizeMaker

  func run() async throws {
    try? await gracefulShutdown()
    sizes.stop()
  }
}
