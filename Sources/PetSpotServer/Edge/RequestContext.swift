import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes
import PhotoUploads

/// A request, with everything that handlers need for the response.
struct RequestContext: Sendable {
  /// The request. Its body can be read once.
  let request: Request
  /// The decoded values of the route's parameters, such as `id`.
  let parameters: [String: String]
  /// Identifies the request in the response and in the log.
  let id: String
  let client: ClientNetwork
  /// The start of URLs in responses, without a slash at the end.
  let base: String
  /// The request's body, which counts as the client's until the request is answered. `nil` if there is no body.
  let incomingBody: IncomingBody?
  /// `true` if the request came over TLS, according to this server or a trusted proxy.
  let isSecure: Bool
  /// The connection, for interim responses.
  let channel: any Channel
  /// `true` if the client or its proxy understands interim responses other than 100.
  let takesInterim: Bool
  /// The operator, whom pages name.
  var siteOperator = SiteOperator()
  /// Adds the request's ID to each line.
  let logger: Logger

  /// Returns a header field. Several fields of one name are joined by commas.
  func header(_ name: HTTPField.Name) -> String? { request.headers[name] }

  /// Returns a parameter of the route. Empty only if the route has no such parameter.
  func parameter(_ name: String) -> String { parameters[name] ?? "" }

  /// The ID of an announcement in the address. Throws 404 if it's malformed, so that it causes no query.
  var announcementID: String {
    get throws(ErrorResponse) {
      let text = parameter("id")
      guard text.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil else {
        throw .notFound
      }
      return text
    }
  }

  /// Parses the query. Throws 400 `INVALID_PARAMETER` if a key appears twice or isn't UTF-8.
  func query() throws(ErrorResponse) -> [String: String] {
    try FormText.parse((request.uri.query ?? "").utf8) { key in
      ErrorResponse(
        .invalidParameter, "\"\(key)\" appears twice or isn't text.", field: key)
    }
  }

  /// Sends 100 Continue to a client that waits for it before the body (RFC 9110, 10.1.1). curl waits above 1 MiB.
  private func sendContinue() { ConnectionGuard.sendContinue(on: channel) }

  /// Sends an interim response (RFC 9110, 15.2), unless a proxy might take it for the final one.
  func sendInterim(_ status: HTTPResponse.Status, _ fields: HTTPFields) {
    guard takesInterim else { return }
    let head = HTTPResponse(status: status, headerFields: fields)
    channel.writeAndFlush(HTTPResponsePart.head(head), promise: nil)
  }

  /// Runs work that is canceled if the client leaves.
  func whileClientWaits<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let task = Task(operation: work)
    channel.triggerUserOutboundEvent(DepartureWatch { task.cancel() }, promise: nil)
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// The type of the body in lower case, without parameters.
  var mediaType: String? { request.headers.bodyType }

  /// The length of the body according to the request. `nil` if the body comes in chunks.
  var contentLength: Int? { request.headers.bodyLength }

  /// Passes each piece of the body to `take` as it arrives.
  ///
  /// - Parameter limit: the most bytes. If the length is known to be greater, the body isn't read.
  /// - Throws: 413; 408 if the body is too slow; 503 if it was ended to make room; 400 if the client ended it early;
  ///   the errors of `take`.
  func readBody(
    limit: Int, _ take: (ByteBuffer) async throws -> Void
  ) async throws {
    func tooLarge(_ actual: Int) -> ErrorResponse { .tooLarge(actual: actual, limit: limit) }
    if let contentLength, contentLength > limit { throw tooLarge(contentLength) }
    sendContinue()
    var count = 0
    for try await piece in request.body {
      count += piece.readableBytes
      if count > limit { throw tooLarge(count) }
      incomingBody?.receive(piece.readableBytes)
      try await take(piece)
    }
    try incomingBody?.receiveEnd()
    if let contentLength, count != contentLength {
      throw ErrorResponse(.incompleteBody, "The body ended early. Send it again.")
    }
  }

  /// Returns the whole body, for small ones.
  func body(limit: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    try await readBody(limit: limit) { bytes.append(contentsOf: $0.readableBytesView) }
    return bytes
  }
}

extension RequestContext: UploadRequest {
  var clientName: String { client.text }

  var uploadToken: String { parameter("token") }

  /// Uploads are created at this URL itself, or next to it at the URL of the owner's photos.
  var uploadsURL: String {
    let owner = request.uri.path.split(separator: "/").dropLast()
    return base + "/" + owner.joined(separator: "/") + "/uploads"
  }
}
