import Foundation
import Hummingbird
import NIOCore

/// The description of this API.
enum OpenAPIResource {
  private static let document: Data? = Bundle.module.url(
    forResource: "openapi", withExtension: "json"
  ).flatMap { try? Data(contentsOf: $0) }

  /// Reads it now; otherwise the first request does.
  static func load() { _ = document }

  /// `GET /api/openapi.json`
  @Sendable static func show(_ exchange: Exchange) async throws -> Response {
    guard let document else { throw ErrorAnswer.notFound }
    return Response(
      status: .ok, headers: [.contentType: "application/json; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: document)))
  }
}
