import ImageContainers
import Logging
import Announcements
import Foundation
import HTTPTypes
import Hummingbird
import PhotoAttachments
import PhotoIngestion

/// The photo of an announcement, sent whole.
struct AnnouncementPhotosResource: Sendable {
  let site: Site

  /// `POST /api/v1/announcements/{id}/photos`. The password is looked at before the body is read.
  @Sendable func receive(_ exchange: Exchange) async throws -> Response {
    let owner = try await authorized(exchange)
    return try await site.uploads.pass {
      let form = try await UploadedForm.receive(exchange, on: site, file: "photo")
      guard let source = form.source else {
        throw ErrorAnswer(
          .badRequest, "MISSING_FILE", "The form has no file in a part named photo.",
          field: "photo")
      }
      let announcement = try await attach(source, to: owner)
      return .json(.created, AnnouncementAnswer(announcement, base: exchange.base))
    }
  }

  /// Whose upload it is that comes in pieces, and where its photo goes.
  @Sendable func uploadOwner(_ exchange: Exchange) async throws -> UploadOwner {
    let owner = try await authorized(exchange)
    return UploadOwner(name: "announcement:" + owner.id) { source in
      _ = try await attach(source, to: owner)
    }
  }

  private func attach(
    _ source: PhotoSource, to owner: (id: String, password: String)
  ) async throws -> Announcement {
    let announcement = try await site.withAttached(source) { photo in
      try await site.announcements.attachPhoto(
        photo, to: owner.id, managementPassword: owner.password, client: nil)
    }
    // It may have been closed while the photo came: nobody sees it then.
    guard announcement.status != .closed else { throw ErrorAnswer.closed }
    return announcement
  }

  private func authorized(_ exchange: Exchange) async throws -> (id: String, password: String) {
    let owner = try await site.owner(of: exchange)
    try await site.announcements.authorize(
      id: owner.id, managementPassword: owner.password, client: exchange.client)
    guard owner.announcement.status != .closed else { throw ErrorAnswer.closed }
    return (owner.id, owner.password)
  }
}

extension Site {
  /// Takes a photo through the whole line, and keeps it while `use` gives it to somebody; then it is
  /// theirs, or it is gone.
  func withAttached<Value>(
    _ source: PhotoSource, _ use: (AnnouncementPhoto) async throws -> Value
  ) async throws -> Value {
    let scratch = "upload-" + UUID().uuidString.lowercased()
    let attached = try await photos.attach(source, draft: scratch)
    let photo = AnnouncementPhoto(
      id: attached.id, file: attached.cachedURL, sha256: attached.blob.sha256,
      uti: attached.blob.format.uti)
    let result: Result<Value, any Error>
    do { result = .success(try await use(photo)) } catch { result = .failure(error) }
    do {
      try await photos.clear(draft: scratch)
    } catch {
      // Swept with the drafts that nobody touched.
      logger.warning("upload not cleared", metadata: ["error": "\(error)"])
    }
    return try result.get()
  }
}
