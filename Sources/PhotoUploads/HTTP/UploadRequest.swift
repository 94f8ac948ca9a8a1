import Foundation
package import HTTPTypes
package import HummingbirdCore
package import NIOCore

/// A request of an upload, with everything that the protocols need for the response.
package protocol UploadRequest: Sendable {
  /// The request. Its body can be read once.
  var request: Request { get }
  /// Identifies the request in the response and in the log.
  var id: String { get }
  /// The client's name. Unfinished uploads are counted by it.
  var clientName: String { get }
  /// The upload's secret name, from the path. Empty if the path has none.
  var uploadToken: String { get }
  /// The URL below which the client's uploads are, without a slash at the end.
  var uploadsURL: String { get }

  /// Passes each piece of the body to `take` as it arrives.
  ///
  /// - Parameter limit: the most bytes. If the length is known to be greater, the body isn't read.
  /// - Throws: the response to a body that is too large, too slow or incomplete; the errors of `take`.
  func readBody(limit: Int, _ take: (ByteBuffer) async throws -> Void) async throws

  /// Sends an interim response (RFC 9110, 15.2), unless a proxy might take it for the final one.
  func sendInterim(_ status: HTTPResponse.Status, _ fields: HTTPFields)

  /// Runs work that is canceled if the client leaves.
  func whileClientWaits<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value
}

extension HTTPFields {
  /// The length of the body. `nil` if the body comes in chunks.
  package var bodyLength: Int? { self[.contentLength].flatMap { Int($0) } }

  /// `true` if there is a body, even an empty one in chunks.
  package var hasBody: Bool { self[.transferEncoding] != nil || bodyLength ?? 0 > 0 }

  /// The type of the body in lower case, without parameters.
  package var bodyType: String? {
    self[.contentType].map {
      $0.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }
  }
}
