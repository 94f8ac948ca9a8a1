import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import PhotoIngestion

extension ErrorResponse {
  /// Returns the response in the documented form.
  ///
  /// - Parameter id: the id of the request.
  func response(requestID id: String) -> Response {
    var response = Response.json(status, members(requestID: id))
    if problem != nil { response.headers[.contentType] = "application/problem+json" }
    for header in headers { response.headers[header.name] = header.value }
    return response
  }

  /// Returns only the body, so that it can be stored.
  func body(requestID id: String) -> [UInt8] { [UInt8](Response.encoded(members(requestID: id))) }

  /// Returns `{"error":{"requestId","code","message","field"?,…facts},"errors":[…]}`, with the members of a problem.
  private func members(requestID id: String) -> [String: Member] {
    var error = facts
    error["requestId"] = .text(id)
    error["code"] = .text(cause.code)
    error["message"] = .text(message)
    error["field"] = field.map { .text($0) }
    var members = problem?.members.mapValues { Member.value(.number($0)) } ?? [:]
    if let problem {
      members["type"] = .value(.text(problem.type))
      members["title"] = .value(.text(problem.title))
      members["status"] = .value(.number(status.code))
    }
    members["error"] = .object(error)
    if !errors.isEmpty {
      members["errors"] = .list(
        errors.map { ["code": $0.code.rawValue, "message": $0.message, "field": $0.field] })
    }
    return members
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
