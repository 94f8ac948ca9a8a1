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

/// Pictures that an announcement shows.
struct ImagesResource: Sendable {
  let site: Site

  private static let caching = "public, max-age=300, must-revalidate"

  /// `GET /images/{name}`
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    guard let name = PictureName(context.parameter("name")) else { throw ErrorResponse.notFound }
    if case .size(let size) = name.kind { return try await show(size, of: name.photo, context) }
    guard try await isShown(name.photo) else { throw ErrorResponse.notFound }
    guard let photo = try await site.photos.photo(id: name.photo) else {
      throw ErrorResponse.notFound
    }
    return try await site.picture(
      name.kind == .preview ? photo.preview : photo.blob, context, caching: Self.caching)
  }

  /// Whether the photo may be seen: those of announcements, and all where the library is browsed.
  private func isShown(_ photo: UUID) async throws -> Bool {
    if site.configuration.librarySecret != nil { return true }
    return try await site.announcements.shows(photo: photo)
  }

  /// A size as an answer: one that is on record by that record alone, where its bytes are not asked for;
  /// any other is made, but not for a HEAD.
  private func show(
    _ name: SizeForm.Name, of id: UUID, _ context: RequestContext
  ) async throws -> Response {
    // While something is committed both wait, and so for as long as one.
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
          // It is made again.
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
      made = try await site.watch.whileAnswering([.pictures]) {
        try await context.whileClientWaits {
          try await site.sizes.size(form, of: photo, for: context.client)
        }
      }
    } catch is CancellationError {
      // The client left, or the server ends.
      throw ErrorResponse.busy()
    } catch StoreError.photo(.timeout) {
      // The machine is busy: the picture itself was decoded when it was taken.
      throw ErrorResponse.busy(retryAfter: 10)
    } catch StoreError.photo(let error) where error.blame == .photo {
      context.logger.error("size not made", metadata: ["photo": "\(id)", "error": "\(error)"])
      throw ErrorResponse.internalError
    }
    // It may have been closed, hidden or erased meanwhile.
    guard try await isShown(id) else { throw ErrorResponse.notFound }
    return try await site.picture(made, context, caching: Self.caching)
  }
}

extension Site {
  /// Bytes of a picture that are in memory for a connection.
  private static let pieceBytes = 64 << 10

  private static func tag(of picture: StoredPicture) -> String { "\"\(picture.sha256)\"" }

  /// Whether an answer with this picture carries none of its bytes.
  func isAnsweredWithoutBytes(_ picture: StoredPicture, _ context: RequestContext) -> Bool {
    context.request.method == .head
      || context.header(.ifNoneMatch).map { EntityTags.match($0, Self.tag(of: picture)) } == true
  }

  /// A stored picture as an answer, proved against its digest before its first byte goes out. No
  /// ranges: browsers need none for pictures.
  ///
  /// - Parameter caching: who may keep it, and for how long.
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
    let body = try await watch.whileAnswering([.pictures]) { [photos] in
      try await photos.body(of: picture)
    }
    let loop = context.channel.eventLoop
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody(contentLength: body.count) { writer in
        for start in stride(from: 0, to: body.count, by: Self.pieceBytes) {
          // A writer learns on the event loop that the socket takes no more: without waiting for it, most
          // of a picture would be in memory by then. The empty write waits while the socket is full.
          try await loop.submit {}.get()
          try await writer.write(ByteBuffer())
          let piece = try await body.read(start..<min(start + Self.pieceBytes, body.count))
          try await writer.write(ByteBuffer(bytes: piece))
        }
        try await writer.finish(nil)
      })
  }
}

/// `If-None-Match` (RFC 9110, 13.1.2): `*` or a list of tags, compared weakly.
enum EntityTags {
  static func match(_ header: String, _ tag: String) -> Bool {
    if header.trimmingCharacters(in: .whitespaces) == "*" { return true }
    return header.split(separator: ",").contains {
      let given = $0.trimmingCharacters(in: .whitespaces)
      return (given.hasPrefix("W/") ? String(given.dropFirst(2)) : given) == tag
    }
  }
}
