import PhotoAttachments
import PhotoIngestion
import Logging
import ServiceLifecycle

/// Deletes uploads whose time is over, and web drafts and sizes beyond their space, every few minutes.
struct UploadSweeping: NamedService {
  let site: Site

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        do {
          let uploads = site.uploads
          try await site.files.run { _ = try uploads.sweep() }
          // A server that was started with less space.
          try? await site.makeRoom()
          _ = try await site.photos.trimSizes(to: site.configuration.sizeSpace)
        } catch {
          site.logger.warning("uploads not swept", metadata: ["error": "\(error)"])
        }
        try await Task.sleep(for: .seconds(300))
      }
    }
  }
}
