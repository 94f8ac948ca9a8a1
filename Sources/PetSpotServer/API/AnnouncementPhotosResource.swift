import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoAttachments
import PhotoIngestion
import PhotoUploads
import ReportFlow
import Synchronization

/// Uploads of an announcement's photo in a single request.
struct AnnouncementPhotosResource: Sendable {
  let stores: Stores
  let gates: Gates
  let limits: Limits
  let uploads: UploadActs
  private let replies = PhotoReplies()

  /// `POST` and `PUT /api/v1/announcements/{id}/photos`. Checks the password before reading the body.
  @Sendable func receive(_ context: RequestContext) async throws -> Response {
    let rufh = UploadsResource(acts: uploads, owner: uploadOwner).rufh
    if let answer = try await rufh.create(context) { return answer }
    let owner = try await stores.announcements.ownerOfOpen(context)
    try limits.clients.count(.change, of: context.client)
    try await limits.checkRoom(forPhotoOf: context, in: gates)
    try await stores.announcements(for: context).checkPhotoShare()
    return try await ErrorResponse.statingRefusals {
      let key = try context.idempotencyKey.map { owner.id + $0 }
      let isPart =
        context.header(.uploadComplete) == "?0" || context.header(.uploadIncomplete) == "?1"
        || context.header(.contentRange) != nil
      let form = try await UploadedForm.receive(
        context, in: stores.spool, limit: limits.photoBytes, takesBare: !isPart)
      guard let source = form.source else {
        throw ErrorResponse(
          .missingFile, "The form has no file in a part named photo.",
          field: "photo")
      }
      var response = try await answer(to: source, key, owner, context)
      if form.hasMetadata, let name = response.headers[.location]?.split(separator: "/").last {
        // FilePond uses the body of the response as the photo's id.
        response.headers[.contentType] = "text/plain; charset=utf-8"
        response.body = ResponseBody(byteBuffer: ByteBuffer(string: String(name)))
      }
      return response
    }
  }

  /// Attaches a photo, unless a request with this key has already attached it.
  private func answer(
    to source: PhotoSource, _ key: String?, _ owner: AnnouncementOwner, _ context: RequestContext
  ) async throws -> Response {
    let digest = key == nil ? "" : try await stores.files.run { try source.sha256() }
    // A repeated request must not undo a newer one, so it gets its original response.
    if let key, let reply = try replies.reply(for: key, digest: digest) {
      return confirming(reply.announcement, showing: reply.photo, context)
    }
    let announcement = try await gates.decode(for: context.client) {
      try await stores.attach(source, to: owner, for: context.client, in: $0)
    }
    let photo = try await stores.photo(of: announcement)
    if let key { replies.storeReply(announcement, photo, for: key, digest: digest) }
    return confirming(announcement, showing: photo, context)
  }

  /// Returns the owner of a resumable upload, and the destination of its photo.
  @Sendable func uploadOwner(_ context: RequestContext) async throws -> UploadOwner {
    let owner = try await stores.announcements.ownerOfOpen(context)
    let attached = Mutex<Announcement?>(nil)
    // Another request may have sent the last bytes and attached the photo.
    let shown: @Sendable () async throws -> Announcement = {
      if let announcement = attached.withLock({ $0 }) { return announcement }
      return try await stores.announcements.announcement(id: owner.id)
    }
    return UploadOwner(
      name: Upload.owner(announcement: owner.id),
      admit: { _ in
        try limits.clients.count(.change, of: context.client)
        try await stores.announcements(for: context).checkPhotoShare()
      },
      attach: { source in
        let announcement = try await gates.decode(for: context.client) {
          try await stores.attach(source, to: owner, for: context.client, in: $0)
        }
        attached.withLock { $0 = announcement }
      },
      stored: { try await stores.photo(of: try await shown()) },
      confirmed: {
        let announcement = try await shown()
        return confirming(
          announcement, showing: try await stores.photo(of: announcement), context)
      })
  }

  /// Returns 201 for a photo that was attached to an announcement.
  private func confirming(
    _ announcement: Announcement, showing photo: PhotoAttachmentMetadata?,
    _ context: RequestContext
  ) -> Response {
    var response = Response.json(
      .created, AnnouncementResponse(announcement, base: context.base))
    response.headers[.location] = announcement.photoAddress(base: context.base)?.absoluteString
    if let photo { response.state(photo) }
    return response
  }
}
