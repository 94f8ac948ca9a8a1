import Foundation
import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypes

/// One request on its way to an answer: what handlers know of it.
struct RequestContext: Sendable {
  /// The request as it came; its body can be read once.
  let request: Request
  /// What stands in the route's places, such as `id`, decoded.
  let parameters: [String: String]
  /// Names the request in answers and in the log.
  let id: String
  /// The client, by which limits are counted.
  let client: ClientNetwork
  /// What addresses in answers begin with, without a slash at the end.
  let base: String
  /// The request's body, which counts as the client's until the request is answered; nil without one.
  let incomingBody: IncomingBody?
  /// Whether it came over TLS, or over a trusted proxy that says so.
  let isSecure: Bool
  /// The connection, for interim answers.
  let channel: any Channel
  /// Whether the client, or the proxy before it, understands other interim answers than 100.
  let takesInterim: Bool
  /// Knows the request's id.
  let logger: Logger

  /// A header that stands once; several of them are joined by commas.
  func header(_ name: HTTPField.Name) -> String? { request.headers[name] }

  /// The place of this name in the route; empty only when the route has no such place.
  func parameter(_ name: String) -> String { parameters[name] ?? "" }

  /// The parameters of the query, decoded.
  ///
  /// - Throws: 400 `INVALID_PARAMETER` for a key that stands twice or is not UTF-8.
  func query() throws(ErrorResponse) -> [String: String] {
    try FormText.parse((request.uri.query ?? "").utf8) { key in
      ErrorResponse(
        .badRequest, "INVALID_PARAMETER", "\"\(key)\" appears twice or isn't text.", field: key)
    }
  }

  /// Tells a client that waits for it to send the body (RFC 9110, 10.1.1): curl does so above 1 MiB.
  private func sendContinue() { ConnectionGuard.sendContinue(on: channel) }

  /// Sends an interim answer (RFC 9110, 15.2) before the final one, unless a proxy might take it for that.
  func sendInterim(_ status: HTTPResponse.Status, _ fields: HTTPFields) {
    guard takesInterim else { return }
    let head = HTTPResponse(status: status, headerFields: fields)
    channel.writeAndFlush(HTTPResponsePart.head(head), promise: nil)
  }

  /// Whether a body comes, be it an empty one in chunks.
  var hasBody: Bool { header(.transferEncoding) != nil || contentLength ?? 0 > 0 }

  /// Does work that is cancelled when the client leaves.
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

  /// The type of the body in lower case, without parameters; nil without one.
  var mediaType: String? {
    header(.contentType).map {
      $0.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }
  }

  /// The length that the request claims for its body; nil for one in chunks.
  var contentLength: Int? { header(.contentLength).flatMap { Int($0) } }

  /// Gives the body in the pieces in which it arrives.
  ///
  /// - Parameter limit: bytes; more are refused, before the body is read where its length is known.
  /// - Throws: 413; 408 for a body that is too slow, 503 for one that had to make room; 400 when the
  ///   client ended it early; what `take` throws.
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
      throw ErrorResponse(.badRequest, "INCOMPLETE_BODY", "The body ended early. Send it again.")
    }
  }

  /// The whole body, for small ones.
  func body(limit: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    try await readBody(limit: limit) { bytes.append(contentsOf: $0.readableBytesView) }
    return bytes
  }
}
