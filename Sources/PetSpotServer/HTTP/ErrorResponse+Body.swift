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
    HTTPFailure(self).response(requestID: id)
  }
}

extension Response {
  /// Creates a response with a value as JSON.
  static func json(_ status: HTTPResponse.Status, _ value: some Encodable) -> Response {
    Response(
      status: status, headers: [.contentType: "application/json; charset=utf-8"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: encoded(value))))
  }

  /// Creates a response without a body.
  static func empty(_ status: HTTPResponse.Status, _ headers: HTTPFields = [:]) -> Response {
    Response(status: status, headers: headers)
  }
}
