package struct HTTPRequest: Sendable {
  /// The verb.
  package var method: String
  /// Scheme, host, path and query, encoded.
  package var url: String
  /// Sent as they are, and nothing beside them but the host and the body's length.
  package var headers: [(String, String)]
  package var body: [UInt8]?
  /// Milliseconds until the answer has to be whole; 0 without a limit.
  package var milliseconds = 0
  /// Seconds without a byte after which it is given up.
  package var silentSeconds = 20
  /// Bytes of the answer's body, at most.
  package var maxAnswerBytes: Int
  /// Whether a body is a failure, and not sent again, where a kept connection turns out to be lost.
  package var isSentOnce = false
  /// Whether a connection that was used before will not do.
  package var usesNewConnection = false
  /// Whether a redirect is followed, five at most; otherwise it is an answer like any other.
  package var followsRedirects = false

  /// A request; the rest is as above.
  package init(
    method: String = "GET", url: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
    maxAnswerBytes: Int = 8 << 20
  ) {
    (self.method, self.url, self.headers) = (method, url, headers)
    (self.body, self.maxAnswerBytes) = (body, maxAnswerBytes)
  }
}

/// What a server answered; the body came whole.
package struct HTTPResponse: Sendable {
  package var status: Int
  /// Names in lower case; the last of several equal ones counts.
  package var headers: [String: String]
  /// The body, at most `maxAnswerBytes` bytes.
  package var body: [UInt8]

  package init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }
}

/// Why there is no answer. Whether the request was carried out is not known.
package struct HTTPFailure: Error, Equatable {
  /// What went wrong, as far as messages for people differ.
  package enum Kind: Sendable {
    case address, cancelled, certificate, connection, length, name, time
  }

  /// Whether another try fails the same way: a certificate that does not hold, no library.
  package var isLasting: Bool
  /// The library's words.
  package var words: String
  package var kind = Kind.connection

  /// No connection, or it was lost, or took too long: another try may succeed.
  package static func passing(_ words: String) -> Self { .init(isLasting: false, words: words) }

  /// Another try fails the same way.
  package static func lasting(_ words: String) -> Self { .init(isLasting: true, words: words) }
}

/// Sends requests. Calls block.
package protocol HTTPTransport: Sendable {
  /// Sends one request, once.
  func send(_ request: HTTPRequest) throws(HTTPFailure) -> HTTPResponse
}
