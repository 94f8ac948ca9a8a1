import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

extension ErrorResponse {
  /// Returns the response in the documented form.
  ///
  /// - Parameter id: the id of the request.
  func response(requestID id: String) -> Response {
    var response = Response.json(status, ErrorBody(answer: self, requestID: id))
    if problem != nil { response.headers[.contentType] = "application/problem+json" }
    for header in headers { response.headers[header.name] = header.value }
    return response
  }

  /// Returns only the body, so that it can be stored.
  func body(requestID id: String) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    return [UInt8](try encoder.encode(ErrorBody(answer: self, requestID: id)))
  }
}

/// `{"error":{"requestId","code","message","field"?,…facts},"errors":[…]}`.
private struct ErrorBody: Encodable {
  let answer: ErrorResponse
  let requestID: String

  private struct Key: CodingKey {
    let stringValue: String
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    var intValue: Int? { nil }
    init?(intValue: Int) { nil }
  }

  func encode(to encoder: any Encoder) throws {
    var body = encoder.container(keyedBy: Key.self)
    var error = body.nestedContainer(keyedBy: Key.self, forKey: Key("error"))
    try error.encode(requestID, forKey: Key("requestId"))
    try error.encode(answer.cause.code, forKey: Key("code"))
    try error.encode(answer.message, forKey: Key("message"))
    try error.encodeIfPresent(answer.field, forKey: Key("field"))
    for fact in answer.facts { try error.encode(fact.value, forKey: Key(fact.key)) }
    if let problem = answer.problem {
      try body.encode(problem.type, forKey: Key("type"))
      try body.encode(problem.title, forKey: Key("title"))
      try body.encode(answer.status.code, forKey: Key("status"))
      for member in problem.members { try body.encode(member.value, forKey: Key(member.key)) }
    }
    guard !answer.errors.isEmpty else { return }
    var list = body.nestedUnkeyedContainer(forKey: Key("errors"))
    for entry in answer.errors {
      var item = list.nestedContainer(keyedBy: Key.self)
      try item.encode(entry.code.rawValue, forKey: Key("code"))
      try item.encode(entry.message, forKey: Key("message"))
      try item.encode(entry.field, forKey: Key("field"))
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
