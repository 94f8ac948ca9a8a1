/// A request, and the limits on its response.
package struct HTTPRequest: Sendable {
  /// The HTTP method.
  package var method: String
  /// The encoded URL with scheme, host, path and query.
  package var url: String
  /// The header fields, sent unchanged. Only the host and the length of the body are added.
  package var headers: [(String, String)]
  package var body: [UInt8]?
  /// The time limit for the whole response in milliseconds, or 0 for no limit.
  package var milliseconds = 0
  /// The number of seconds without a byte after which the request fails.
  package var silentSeconds = 20
  /// The maximum size of the response body in bytes.
  package var maxAnswerBytes: Int
  /// `true` if the body must not be sent again after a reused connection turns out to be closed. The request then
  /// fails.
  package var isSentOnce = false
  /// `true` if the request needs a connection that was not used before.
  package var usesNewConnection = false
  /// `true` to follow up to five redirects. Otherwise a redirect is returned like any other response.
  package var followsRedirects = false

  /// Creates a request with default limits.
  package init(
    method: String = "GET", url: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
    maxAnswerBytes: Int = 8 << 20
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
    self.maxAnswerBytes = maxAnswerBytes
  }
}

/// A complete response of a server.
package struct HTTPResponse: Sendable {
  package var status: Int
  /// The header fields by name in lower case. If a field is repeated, the last one is kept.
  package var headers: [String: String]
  /// The body, at most `maxAnswerBytes` bytes.
  package var body: [UInt8]

  package init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// A request that got no response. The server may or may not have processed it.
package struct HTTPTransportError: Error, Equatable {
  /// The kinds of failures that have messages of their own.
  package enum Kind: Sendable {
    case address, cancelled, certificate, connection, length, name, time
  }

  /// `true` if a retry fails in the same way, for example because of an invalid certificate or a missing library.
  package var isPermanent: Bool
  /// The message of the library.
  package var words: String
  package var kind = Kind.connection

  /// Creates a failure that a retry may fix: the connection failed, was lost or took too long.
  package static func passing(_ words: String) -> Self { .init(isPermanent: false, words: words) }

  /// Creates a failure that a retry can't fix.
  package static func permanent(_ words: String) -> Self { .init(isPermanent: true, words: words) }
}

/// A transport that sends requests and blocks until they end.
package protocol HTTPTransport: Sendable {
  /// Sends one request without retries.
  func send(_ request: HTTPRequest) throws(HTTPTransportError) -> HTTPResponse
}
