import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import Synchronization

/// Uploads of an announcement's photo in a single request.
struct AnnouncementPhotosResource: Sendable {
  let site: Site

  /// `POST` and `PUT /api/v1/announcements/{id}/photos`. Checks the password before reading the body.
  @Sendable func receive(_ context: RequestContext) async throws -> Response {
    let uploads = RufhResource(site: site, owner: uploadOwner)
    if let answer = try await uploads.create(context) { return answer }
    let owner = try await site.ownerOfOpen(context)
    try site.clients.count(.change, of: context.client)
    try await site.checkRoom(forPhotoOf: context, isAnnounced: true)
    return try await ErrorResponse.statingRefusals {
      let key = try context.idempotencyKey.map { owner.id + $0 }
      let isPart =
        context.header(.uploadComplete) == "?0" || context.header(.uploadIncomplete) == "?1"
        || context.header(.contentRange) != nil
      let form = try await UploadedForm.receive(context, on: site, takesBare: !isPart)
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
    let digest = key == nil ? "" : try await site.files.run { try source.sha256() }
    // A repeated request must not undo a newer one, so it gets its original response.
    if let key, let reply = try site.replies.reply(for: key, digest: digest) {
      return site.confirming(reply.announcement, showing: reply.photo, context)
    }
    let announcement = try await site.decode(for: context.client) {
      try await site.attach(source, to: owner, for: context.client, in: $0)
    }
    let photo = try await site.photo(of: announcement)
    if let key { site.replies.storeReply(announcement, photo, for: key, digest: digest) }
    return site.confirming(announcement, showing: photo, context)
  }

  /// Returns the owner of a resumable upload, and the destination of its photo.
  @Sendable func uploadOwner(_ context: RequestContext) async throws -> UploadOwner {
    let owner = try await site.ownerOfOpen(context)
    let attached = Mutex<Announcement?>(nil)
    // Another request may have sent the last bytes and attached the photo.
    let shown: @Sendable () async throws -> Announcement = {
      if let announcement = attached.withLock({ $0 }) { return announcement }
      return try await site.announcement(owner.id)
    }
    return UploadOwner(
      name: Upload.owner(announcement: owner.id),
      admit: { _ in
        try site.clients.count(.change, of: context.client)
        try await site.announcements(for: context).checkPhotoShare()
      },
      attach: { source, turns in
        let announcement = try await site.attach(
          source, to: owner, for: context.client, in: turns)
        attached.withLock { $0 = announcement }
      },
      stored: { try await site.photo(of: try await shown()) },
      confirmed: {
        let announcement = try await shown()
        return site.confirming(
          announcement, showing: try await site.photo(of: announcement), context)
      })
  }
}

extension Site {
  /// Attaches a photo to an owner's announcement, unless the announcement already shows it.
  func attach(
    _ source: PhotoSource, to owner: AnnouncementOwner, for client: ClientNetwork,
    in turns: DecoderTurns
  ) async throws -> Announcement {
    if let shown = try await findRepeated(source, owner.id) { return shown }
    let announcement = try await announcements(for: client).attachPhoto(
      try await photos.prepare(source, in: turns), to: owner)
    // The announcement may have been closed during the upload, so that the photo isn't visible.
    try announcement.requireOpen()
    return announcement
  }

  /// Returns the announcement if it already shows this photo under the same name, attached less than an hour ago. In
  /// that case, a client that missed the response has repeated its request.
  private func findRepeated(_ source: PhotoSource, _ id: String) async throws -> Announcement? {
    let announcement = try await announcements.announcement(id: id)
    guard announcement.status != .closed, let photo = try await photo(of: announcement),
      photo.fileSizeBytes == source.byteCount,
      source.name.map(Receiver.displayName) == photo.fileName,
      (0..<3600).contains(Date.now.timeIntervalSince(photo.savedAt)),
      try await files.run({ try source.sha256() }) == photo.source.sha256
    else { return nil }
    return announcement
  }

  /// Returns 201 for a photo that was attached to an announcement.
  func confirming(
    _ announcement: Announcement, showing photo: PhotoAttachmentMetadata?,
    _ context: RequestContext
  ) -> Response {
    var response = Response.json(
      .created, AnnouncementResponse(announcement, base: context.base))
    response.headers[.location] = announcement.photoAddress(base: context.base)?.absoluteString
    if let photo { response.state(photo) }
    return response
  }

  /// Returns the photo of an announcement, or `nil` without a photo.
  func photo(of announcement: Announcement) async throws -> PhotoAttachmentMetadata? {
    guard let id = announcement.details.photoID else { return nil }
    return try await photos.photo(id: id)
  }
}
