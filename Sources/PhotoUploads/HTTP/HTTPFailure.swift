package import Foundation
package import HTTPTypes
package import HummingbirdCore
import NIOCore
package import PhotoIngestion

/// The response to a request that failed, before it's rendered.
package struct HTTPFailure: Error, Sendable {
  package var status: HTTPResponse.Status
  /// The stable code for programs.
  package var code: String
  /// An English text about what happened and what to do.
  package var message: String
  /// The invalid field, if the failure is about one.
  package var field: String?
  /// More members of the error, such as the `reason` of a rejected photo, or `limit` and `actual` bytes.
  package var facts: [String: ErrorFacts.Detail] = [:]
  /// The errors of all invalid fields.
  package var errors: [[String: String]] = []
  /// The problem for programs that know its type (RFC 9457).
  package var problem: Problem?
  /// Additional headers of the response.
  package var headers: HTTPFields
  /// The error that the failure was made from, for the log.
  package var origin: (any Error)?

  /// A problem (RFC 9457). Its members are next to the error in the body.
  package struct Problem: Sendable {
    /// The URI that identifies the type of problem.
    package var type: String
    /// A title for people.
    package var title: String
    /// Additional members.
    package var members: [String: Int] = [:]
  }

  package init(
    _ status: Int, _ code: String, _ message: String, field: String? = nil,
    headers: HTTPFields = [:]
  ) {
    self.status = .init(code: status)
    self.code = code
    self.message = message
    self.field = field
    self.headers = headers
  }

  // MARK: - Rendering

  /// The type of the body.
  package var mediaType: String {
    problem == nil ? "application/json; charset=utf-8" : "application/problem+json"
  }

  /// Returns `{"error":{"requestId","code","message","field"?,…facts},"errors":[…]}`, with the members of a problem.
  ///
  /// - Parameter id: the id of the request.
  package func body(requestID id: String) -> Data {
    var error = facts
    error["requestId"] = .text(id)
    error["code"] = .text(code)
    error["message"] = .text(message)
    error["field"] = field.map { .text($0) }
    var members = problem?.members.mapValues { Member.value(.number($0)) } ?? [:]
    if let problem {
      members["type"] = .value(.text(problem.type))
      members["title"] = .value(.text(problem.title))
      members["status"] = .value(.number(status.code))
    }
    members["error"] = .object(error)
    if !errors.isEmpty { members["errors"] = .list(errors) }
    return Response.encoded(members)
  }

  /// Returns the response with this body.
  package func response(requestID id: String) -> Response {
    var fields: HTTPFields = [.contentType: mediaType]
    for field in headers { fields[field.name] = field.value }
    let body = ByteBuffer(bytes: body(requestID: id))
    return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: body))
  }

  private enum Member: Encodable {
    case value(ErrorFacts.Detail)
    case object([String: ErrorFacts.Detail])
    case list([[String: String]])

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .value(let value): try value.encode(to: encoder)
      case .object(let object): try object.encode(to: encoder)
      case .list(let list): try list.encode(to: encoder)
      }
    }
  }
}

extension Response {
  /// Returns a value as JSON.
  package static func encoded(_ value: some Encodable) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    // Encoding can't fail, because the values consist of texts, numbers and lists of them.
    return (try? encoder.encode(value)) ?? Data("{}".utf8)
  }
}

extension HTTPFailure {
  /// 404: the thing doesn't exist, or doesn't belong to the caller.
  package static var notFound: Self {
    Self(404, "NOT_FOUND", "There's nothing at this address. Check the address and the id.")
  }

  /// 413, with the sizes in bytes.
  package static func tooLarge(actual: Int?, limit: Int) -> Self {
    var failure = Self(
      413, "PAYLOAD_TOO_LARGE", "The body is too large. The limit is \(limit) bytes.")
    failure.facts["limit"] = .number(limit)
    failure.facts["actual"] = actual.map { .number($0) }
    return failure
  }

  /// 503: the client should retry after these seconds.
  package static func busy(retryAfter seconds: Int = 2) -> Self {
    Self(
      503, "UNAVAILABLE", "The server is busy. Try again in a moment.",
      headers: [.retryAfter: String(seconds)])
  }

  /// 507: the server can't store anything.
  package static var storageFull: Self {
    Self(
      507, "STORAGE_FULL", "No photos can be taken right now. Try again later.",
      headers: [.retryAfter: "3600"])
  }

  /// 500: an error of the server. Only the log has the details.
  package static var internalError: Self {
    Self(500, "INTERNAL", "Something went wrong on our side. Try again later.")
  }
}
