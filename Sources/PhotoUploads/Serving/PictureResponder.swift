import Foundation
public import HTTPTypes
public import HummingbirdCore
public import ImageContainers
public import NIOCore
public import PhotoAttachments
import PhotoIngestion
public import PhotoModel

/// Serves stored pictures from their files.
///
/// A response has the picture's type, its length and a strong `ETag`. `If-None-Match`, `Range`, `If-Range` and `HEAD`
/// are supported. A request for several ranges gets the whole picture. Pictures in an object store are sent as a whole,
/// because their digests are compared while they are sent.
public struct PictureResponder: Sendable {
  private let photos: PhotoAttachmentCache
  /// The value of `Cache-Control`. By default only the client itself may keep a picture, and asks each time whether it
  /// is still the right one.
  public var caching = "private, no-cache"
  /// Opens a picture whose bytes are to be sent.
  private let open: @Sendable (StoredPicture) async throws -> PictureBody

  /// Creates a responder for the pictures of a cache.
  public init(_ photos: PhotoAttachmentCache) {
    self.init(photos) { try await photos.body(of: $0) }
  }

  /// Creates a responder that opens pictures in its own way.
  package init(
    _ photos: PhotoAttachmentCache,
    opening open: @escaping @Sendable (StoredPicture) async throws -> PictureBody
  ) {
    self.photos = photos
    self.open = open
  }

  /// The bytes of a picture that are in memory per connection.
  private static let pieceBytes = 64 << 10

  private static func tag(of picture: StoredPicture) -> String { "\"\(picture.sha256)\"" }

  /// The value of `Accept-Ranges`.
  package var acceptedRanges: String { photos.blobs.isRemote ? "none" : "bytes" }

  /// Returns `true` if the response has none of the picture's bytes.
  package func isAnsweredWithoutBytes(_ picture: StoredPicture, _ request: HTTPRequest) -> Bool {
    request.method == .head || isKnown(picture, to: request)
  }

  /// Returns `true` if the client already has the picture.
  private func isKnown(_ picture: StoredPicture, to request: HTTPRequest) -> Bool {
    request.headerFields[.ifNoneMatch].map { EntityTags.match($0, Self.tag(of: picture)) } == true
  }

  /// Responds with the picture of an attachment.
  ///
  /// - Parameters:
  ///   - request: The request, whose client may see the picture.
  ///   - key: The attachment.
  ///   - side: The number of pixels that the longer side has at least, if the picture is that large. The size is made
  ///     when it is first requested. `nil` for the whole picture.
  ///   - format: `.webp`, or `.jpeg` for clients that support nothing else. The whole picture has its own format.
  ///   - channel: The connection. It limits how much of the picture is in memory if the client reads slowly.
  /// - Returns: 200, 206, 304 or 416. 404 if the attachment shows no photo.
  /// - Throws: The errors of `PhotoAttachmentCache.picture(of:fitting:as:)`.
  public func respond(
    to request: HTTPRequest, showing key: AttachmentKey, fitting side: Int? = nil,
    as format: ImageFormat = .webp, on channel: (any Channel)? = nil
  ) async throws -> Response {
    do {
      return try await respondOnce(
        to: request, showing: key, fitting: side, as: format, on: channel)
    } catch {
      // The photo was replaced between the two steps.
      guard case StoreError.missingPhoto = error else { throw error }
      return try await respondOnce(
        to: request, showing: key, fitting: side, as: format, on: channel)
    }
  }

  private func respondOnce(
    to request: HTTPRequest, showing key: AttachmentKey, fitting side: Int?, as format: ImageFormat,
    on channel: (any Channel)?
  ) async throws -> Response {
    let picture =
      if let side { try await photos.picture(of: key, fitting: side, as: format) } else {
        try await photos.recordedPhoto(of: key)?.blob
      }
    guard let picture else { return Response(status: .notFound) }
    return try await respond(to: request, with: picture, on: channel)
  }

  /// Responds with a stored picture, whose digest is verified before the first byte is sent.
  ///
  /// - Parameters:
  ///   - request: The request, whose client may see the picture.
  ///   - picture: The picture.
  ///   - channel: The connection. It limits how much of the picture is in memory if the client reads slowly.
  /// - Returns: 200, 206, 304 or 416.
  /// - Throws: `StoreError.missingPhoto` if the file is gone. `.fault(.blobDamaged)` if its bytes aren't those that were
  ///   stored.
  public func respond(
    to request: HTTPRequest, with picture: StoredPicture, on channel: (any Channel)? = nil
  ) async throws -> Response {
    do { return try await respond(to: request, with: picture, caching: caching, on: channel) } catch
    {
      guard let failure = error as? HTTPFailure else { throw error }
      return failure.response(requestID: UUID().uuidString.lowercased())
    }
  }

  /// Responds with a stored picture.
  ///
  /// - Parameter caching: the value of `Cache-Control`.
  /// - Throws: `HTTPFailure` with 416; the errors of opening the picture.
  package func respond(
    to request: HTTPRequest, with picture: StoredPicture, caching: String,
    on channel: (any Channel)?
  ) async throws -> Response {
    var headers: HTTPFields = [
      .eTag: Self.tag(of: picture), .cacheControl: caching, .acceptRanges: acceptedRanges,
      .contentType: picture.format.mime,
    ]
    if isKnown(picture, to: request) { return Response(status: .notModified, headers: headers) }
    let range = range(of: picture, in: request)
    if range == .unsatisfiable {
      headers[.contentType] = nil
      headers[.contentRange] = "bytes */\(picture.sizeBytes)"
      throw HTTPFailure(
        416, "RANGE_NOT_SATISFIABLE", "The picture has only \(picture.sizeBytes) bytes.",
        headers: headers)
    }
    var positions = 0..<picture.sizeBytes
    if case .part(let part) = range {
      positions = part
      headers[.contentRange] =
        "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(picture.sizeBytes)"
    }
    headers[.contentLength] = String(positions.count)
    if request.method == .head { return Response(status: .ok, headers: headers) }
    return Response(
      status: range == .whole ? .ok : .partialContent, headers: headers,
      body: Self.body(try await open(picture), positions, on: channel))
  }

  /// Returns the requested range. A range is ignored in methods other than GET, and if the client's part is of another
  /// picture (`If-Range`).
  private func range(of picture: StoredPicture, in request: HTTPRequest) -> ByteRange {
    guard request.method == .get, acceptedRanges == "bytes",
      request.headerFields[.ifRange] ?? Self.tag(of: picture) == Self.tag(of: picture)
    else { return .whole }
    return ByteRange(request.headerFields[.range], count: picture.sizeBytes)
  }

  private static func body(
    _ body: PictureBody, _ positions: Range<Int>, on channel: (any Channel)?
  ) -> ResponseBody {
    ResponseBody(contentLength: positions.count) { writer in
      for start in stride(from: positions.lowerBound, to: positions.upperBound, by: pieceBytes) {
        // A writer notices only on the event loop that the socket is full. Without this, most of a picture would be
        // in memory by then. The empty write waits while the socket is full.
        if let channel {
          try await channel.eventLoop.submit {}.get()
          try await writer.write(ByteBuffer())
        }
        let end = min(start + pieceBytes, positions.upperBound)
        try await writer.write(ByteBuffer(bytes: try await body.readBytes(start..<end)))
      }
      try await writer.finish(nil)
    }
  }
}
