import ImageContainers
import Logging
import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import Synchronization

/// The photo of an announcement, sent whole.
struct AnnouncementPhotosResource: Sendable {
  let site: Site

  /// `POST /api/v1/announcements/{id}/photos`. The password is looked at before the body is read.
  @Sendable func receive(_ context: RequestContext) async throws -> Response {
    let uploads = RufhResource(site: site, owner: uploadOwner)
    if let answer = try await uploads.create(context) { return answer }
    let owner = try await site.ownerOfOpen(context)
    try site.clients.count(.change, of: context.client)
    try await site.checkRoom(forPhotoOf: context, isAnnounced: true)
    let form = try await UploadedForm.receive(context, on: site, file: "photo")
    guard let source = form.source else {
      throw ErrorResponse(
        .badRequest, "MISSING_FILE", "The form has no file in a part named photo.",
        field: "photo")
    }
    let announcement = try await site.decode(for: context.client) {
      try await site.attach(source, to: owner, for: context.client, waitingForTurn: $0)
    }
    return .json(.created, AnnouncementResponse(announcement, base: context.base))
  }

  /// Whose upload it is that comes in pieces, and where its photo goes.
  @Sendable func uploadOwner(_ context: RequestContext) async throws -> UploadOwner {
    let owner = try await site.ownerOfOpen(context)
    let attached = Mutex<Announcement?>(nil)
    return UploadOwner(
      name: "announcement:" + owner.id,
      admit: { _ in
        try site.clients.count(.change, of: context.client)
        try await site.announcements(for: context).checkPhotoShare()
      },
      attach: { source, turn in
        let announcement = try await site.attach(
          source, to: owner, for: context.client, waitingForTurn: turn)
        attached.withLock { $0 = announcement }
      },
      confirmed: {
        // Another request may have had the last bytes.
        let shown = attached.withLock { $0 }
        let announcement = if let shown { shown } else { try await site.announcement(owner.id) }
        return .json(.created, AnnouncementResponse(announcement, base: context.base))
      })
  }
}

extension Site {
  /// Makes a photo that of an owner's announcement.
  func attach(
    _ source: PhotoSource, to owner: AnnouncementOwner, for client: ClientNetwork,
    waitingForTurn turn: @escaping PhotoAttachmentCache.LargeTurn
  ) async throws -> Announcement {
    let announcement = try await announcements(for: client).attachPhoto(
      try await photos.prepare(source, waitingForTurn: turn), to: owner)
    // It may have been closed while the photo came, and isn't visible then.
    try announcement.requireOpen()
    return announcement
  }
}
