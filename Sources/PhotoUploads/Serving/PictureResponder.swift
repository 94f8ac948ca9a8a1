package import HTTPTypes
package import HummingbirdCore
import ImageContainers
package import NIOCore
package import PhotoAttachments
package import PhotoModel

/// Responds with stored pictures.
package struct PictureResponder: Sendable {
  /// Opens a picture whose bytes are to be sent.
  private let open: @Sendable (StoredPicture) async throws -> PictureBody

  package init(opening open: @escaping @Sendable (StoredPicture) async throws -> PictureBody) {
    self.open = open
  }

  /// The bytes of a picture that are in memory per connection.
  private static let pieceBytes = 64 << 10

  private static func tag(of picture: StoredPicture) -> String { "\"\(picture.sha256)\"" }

  /// Returns `true` if the response has none of the picture's bytes.
  package func isAnsweredWithoutBytes(_ picture: StoredPicture, _ request: HTTPRequest) -> Bool {
    request.method == .head
      || request.headerFields[.ifNoneMatch].map { EntityTags.match($0, Self.tag(of: picture)) }
        == true
  }

  /// Responds with a stored picture, whose digest is verified before the first byte is sent. Ranges aren't supported,
  /// because browsers don't need them for pictures.
  ///
  /// - Parameters:
  ///   - caching: the value of `Cache-Control`.
  ///   - channel: the connection, which limits how much of the picture is in memory.
  package func respond(
    to request: HTTPRequest, with picture: StoredPicture, caching: String, on channel: any Channel
  ) async throws -> Response {
    let tag = Self.tag(of: picture)
    var headers: HTTPFields = [
      .eTag: tag, .cacheControl: caching, .acceptRanges: "none",
      .contentType: picture.format.mime,
    ]
    if let given = request.headerFields[.ifNoneMatch], EntityTags.match(given, tag) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentLength] = String(picture.sizeBytes)
    if request.method == .head { return Response(status: .ok, headers: headers) }
    let body = try await open(picture)
    let loop = channel.eventLoop
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
