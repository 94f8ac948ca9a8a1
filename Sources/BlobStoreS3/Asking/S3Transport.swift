/// One HTTP request that was signed.
package struct S3Request: Sendable {
  package var method: String
  /// Scheme, host, path and query, encoded.
  package var url: String
  /// Names in lower case.
  package var headers: [(String, String)]
  package var body: [UInt8]?
  /// Milliseconds until the answer has to be whole.
  package var milliseconds: Int
  /// Bytes of the answer's body, at most.
  package var longestAnswer: Int
  /// Whether a connection that was used before will not do.
  package var isFresh = false
}

/// What a store answered; the body came whole.
package struct S3Answer: Sendable {
  package var status: Int
  /// Names in lower case; the last of several equal ones counts.
  package var headers: [String: String]
  package var body: [UInt8]

  package init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }
}

/// Why there is no answer. Whether the request was done nobody knows.
package enum S3Failure: Error, Equatable {
  /// No connection, or it was lost, or took too long: another try may succeed.
  case passing(String)
  /// Another try fails the same way: a certificate that does not hold, no library.
  case lasting(String)
}

/// Sends requests. Calls block.
package protocol S3Transport: Sendable {
  /// Sends one request, once.
  func send(_ request: S3Request) throws(S3Failure) -> S3Answer
}
