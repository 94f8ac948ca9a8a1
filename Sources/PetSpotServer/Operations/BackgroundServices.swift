import CMalloc
import Foundation
import Logging
import PhotoAttachments
import ReportFlow
import ServiceLifecycle

/// A service that the log names by its type; otherwise it would print all that it holds.
protocol NamedService: Service, CustomStringConvertible {}

extension NamedService {
  var description: String { "\(Self.self)" }
}

/// Gives the system back, once a minute, what isn't needed: pages that the catalog keeps to be faster,
/// and what was freed (malloc_trim(3)), which glibc keeps where it lies between what is still in use.
struct MemoryTrimming: NamedService {
  let photos: PhotoAttachmentCache

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: .seconds(60))
        photos.releaseMemory()
        malloc_trim(0)
      }
    }
  }
}

/// Logs once a minute how many responses of clients over their share were not logged.
struct LogSummaries: NamedService {
  let accessLog: AccessLog

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: .seconds(60))
        accessLog.summarize()
      }
    }
    accessLog.summarize()
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

/// Deletes once a day what `petspot sweep` deletes of reports and announcements, for a host that has no such command.
struct ReportSweeping: NamedService {
  let site: Site

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        do {
          _ = try await site.drafts.expire(
            before: Date(timeIntervalSinceNow: -PhotoAttachmentCache.draftLifetime), dryRun: false)
          _ = try await site.announcements.forgetClosed(
            before: Date(timeIntervalSinceNow: -AnnouncementStore.reopenSeconds), dryRun: false)
        } catch {
          site.logger.warning("sweep failed", metadata: ["error": "\(error)"])
        }
        try await Task.sleep(for: .seconds(24 * 3600))
      }
    }
  }
}

/// Asks for a newer list of species at the start and every hour, where one is configured (decision 19).
struct SpeciesRefreshing: NamedService {
  let source: TaxonomySource

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        await source.refresh()
        try await Task.sleep(for: .seconds(3600))
      }
    }
  }
}
