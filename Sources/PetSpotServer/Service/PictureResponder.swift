import Foundation
import HTTPTypes
import HummingbirdCore
import ImageContainers
import NIOCore
import PhotoAttachments
import PhotoIngestion

/// Responds with stored pictures.
struct PictureResponder: Sendable {
  let photos: PhotoAttachmentCache
  let watch: StoreWatch

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
