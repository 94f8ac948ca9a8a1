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
        let uploads = site.uploads
        await note("uploads not swept") { try await site.files.run { _ = try uploads.sweep() } }
        // A server that was started with less space.
        await note("drafts not swept") { try await site.makeRoom() }
        await note("sizes not swept") {
          _ = try await site.photos.trimSizes(to: site.configuration.sizeSpace)
        }
        try await Task.sleep(for: .seconds(300))
      }
    }
  }

  /// Does work; what fails keeps nothing else from being done.
  private func note(_ message: Logger.Message, _ work: () async throws -> Void) async {
    do { try await work() } catch {
      site.logger.warning(message, metadata: ["error": "\(error)"])
    }
  }
}
