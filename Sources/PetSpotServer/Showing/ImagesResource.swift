import Announcements
import ImageContainers
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import PhotoAttachments
import ReportFlow

/// Pictures that an announcement shows.
struct ImagesResource: Sendable {
  let site: Site

  /// `GET /images/{name}`
  @Sendable func show(_ exchange: Exchange) async throws -> Response {
    guard let name = PictureName(exchange.parameter("name")),
      try await site.announcements.shows(photo: name.photo),
      let photo = try await site.photos.photo(id: name.photo)
    else { throw ErrorAnswer.notFound }
    return try await site.picture(
      name.isPreview ? photo.preview : photo.blob, exchange,
      caching: "public, max-age=300, must-revalidate")
  }
}

extension Site {
  /// Bytes of a picture that are in memory for a connection.
  private static let pieceBytes = 64 << 10

  /// A stored picture as an answer, proved against its digest before its first byte goes out. No
  /// ranges: browsers need none for pictures.
  ///
  /// - Parameter caching: who may keep it, and for how long.
  func picture(
    _ picture: StoredPicture, _ exchange: Exchange, caching: String
  ) async throws -> Response {
    let tag = "\"\(picture.sha256)\""
    var headers: HTTPFields = [
      .eTag: tag, .cacheControl: caching, .acceptRanges: "none",
      .contentType: picture.format.mime,
    ]
    if let given = exchange.header(.ifNoneMatch), EntityTags.match(given, tag) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentLength] = String(picture.sizeBytes)
    if exchange.request.method == .head { return Response(status: .ok, headers: headers) }
    let (body, loop) = (try await photos.body(of: picture), exchange.channel.eventLoop)
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
