import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoUploads

extension ErrorResponse {
  /// Returns the response in the documented form.
  ///
  /// - Parameter id: the id of the request.
  func response(requestID id: String) -> Response {
    let failure = HTTPFailure(self)
    var fields: HTTPFields = [.contentType: failure.mediaType]
    for header in headers { fields[header.name] = header.value }
    return Response(
      status: status, headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: failure.body(requestID: id))))
  }
}

extension Response {
  /// Creates a response with a value as JSON.
  static func json(_ status: HTTPResponse.Status, _ value: some Encodable) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: encoded(value))))
  }

  /// Returns a value as JSON.
  static func encoded(_ value: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    // Encoding can't fail, because the values consist of texts, numbers and lists of them.
    return (try? encoder.encode(value)) ?? Data("{}".utf8)
  }

  /// Creates a response without a body.
  static func empty(_ status: HTTPResponse.Status, _ headers: HTTPFields = [:]) -> Response {
    Response(status: status, headers: headers)
  }
}
