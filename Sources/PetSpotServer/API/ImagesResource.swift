import Announcements
import ImageContainers
import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// The pictures of announcements: whole photos, previews, and sizes. A size is a scaled copy of a photo, which is made
/// when a client first requests it.
struct ImagesResource: Sendable {
  let site: Site

  private static let caching = "public, max-age=300, must-revalidate"

  /// `GET /images/{name}`
  @Sendable func sendPicture(_ context: RequestContext) async throws -> Response {
    guard let name = PictureName(context.parameter("name")) else { throw ErrorResponse.notFound }
    if case .size(let size) = name.kind { return try await sendSize(size, of: name.photo, context) }
    guard try await isShown(name.photo) else { throw ErrorResponse.notFound }
    guard let photo = try await site.photos.photo(id: name.photo) else {
      throw ErrorResponse.notFound
    }
    return try await site.picture(
      name.kind == .preview ? photo.preview : photo.blob, context, caching: Self.caching)
  }

  /// Returns `true` if clients may see the photo. A server for browsing the library (`petspot browse`) shows all
  /// photos.
  private func isShown(_ photo: UUID) async throws -> Bool {
    if site.configuration.librarySecret != nil { return true }
    return try await site.announcements.shows(photo: photo)
  }

  /// Responds with a size of a photo. If the size is recorded and its bytes aren't needed, reads only the record.
  /// Otherwise makes a missing size, except for HEAD.
  private func sendSize(
    _ name: SizeForm.Name, of id: UUID, _ context: RequestContext
  ) async throws -> Response {
    // Both queries may have to wait for the same commit, so they run concurrently.
    async let look = site.photos.knownSize(name, of: id)
    guard try await isShown(id) else { throw ErrorResponse.notFound }
    if let known = try await look {
      let picture = StoredPicture(known.picture)
      let isAnswered = site.isAnsweredWithoutBytes(picture, context)
      if isAnswered || known.isStored {
        do {
          return try await site.picture(picture, context, caching: Self.caching)
        } catch StoreError.missingPhoto {
        } catch StoreError.fault(.blobDamaged) {
        } catch StoreError.fault(.blobNotAFile) {
          // The size is made again.
        }
      }
    }
    guard let photo = try await site.photos.photo(id: id),
      let form = SizeForm.all(width: photo.blob.pixelWidth, height: photo.blob.pixelHeight)
        .first(where: { $0.name == name })
    else { throw ErrorResponse.notFound }
    if context.request.method == .head {
      return Response(
        status: .ok,
        headers: [
          .cacheControl: Self.caching, .acceptRanges: "none", .contentType: name.format.mime,
        ])
    }
    let made: StoredPicture
    do {
      made = try await site.watch.endingIfUnreachable([.pictures]) {
        try await context.whileClientWaits {
          try await site.sizes.size(form, of: photo, for: context.client)
        }
      }
    } catch is CancellationError {
      // The client left, or the server is shutting down.
      throw ErrorResponse.busy()
    } catch StoreError.photo(.timeout) {
      // The machine is busy. The photo itself could be decoded when it was uploaded.
      throw ErrorResponse.busy(retryAfter: 10)
    } catch StoreError.photo(let error) where error.blame == .photo {
      context.logger.error("size not made", metadata: ["photo": "\(id)", "error": "\(error)"])
      throw ErrorResponse.internalError
    }
    // The announcement may have been closed, hidden or erased in the meantime.
    guard try await isShown(id) else { throw ErrorResponse.notFound }
    return try await site.picture(made, context, caching: Self.caching)
  }
}

extension Site {
  /// The bytes of a picture that are in memory per connection.
  private static let pieceBytes = 64 << 10

  private static func tag(of picture: StoredPicture) -> String { "\"\(picture.sha256)\"" }

  /// Returns `true` if the response has none of the picture's bytes.
  func isAnsweredWithoutBytes(_ picture: StoredPicture, _ context: RequestContext) -> Bool {
    context.request.method == .head
      || context.header(.ifNoneMatch).map { EntityTags.match($0, Self.tag(of: picture)) } == true
  }

  /// Responds with a stored picture, whose digest is verified before the first byte is sent. Ranges aren't supported,
  /// because browsers don't need them for pictures.
  ///
  /// - Parameter caching: the value of `Cache-Control`.
  func picture(
    _ picture: StoredPicture, _ context: RequestContext, caching: String
  ) async throws -> Response {
    let tag = Self.tag(of: picture)
    var headers: HTTPFields = [
      .eTag: tag, .cacheControl: caching, .acceptRanges: "none",
      .contentType: picture.format.mime,
    ]
    if let given = context.header(.ifNoneMatch), EntityTags.match(given, tag) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentLength] = String(picture.sizeBytes)
    if context.request.method == .head { return Response(status: .ok, headers: headers) }
    let body = try await watch.endingIfUnreachable([.pictures]) { [photos] in
      try await photos.body(of: picture)
    }
    let loop = context.channel.eventLoop
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody(contentLength: body.count) { writer in
        for start in stride(from: 0, to: body.count, by: Self.pieceBytes) {
          // A writer notices only on the event loop that the socket is full. Without this, most of a picture would be
          // in memory by then. The empty write waits while the socket is full.
          try await loop.submit {}.get()
          try await writer.write(ByteBuffer())
          let piece = try await body.readBytes(start..<min(start + Self.pieceBytes, body.count))
          try await writer.write(ByteBuffer(bytes: piece))
        }
        try await writer.finish(nil)
      })
  }
}
