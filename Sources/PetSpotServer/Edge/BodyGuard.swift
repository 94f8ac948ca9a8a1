import HTTPTypes
import HummingbirdCore

/// Refuses what no body may claim (RFC 9110, 8.4, 10.1.1 and 8.6).
struct BodyGuard: RequestGuard {
  /// - Throws: 417, 415.
  func check(_ request: Request) throws(ErrorResponse) {
    if let expect = request.headers[.expect], expect.lowercased() != "100-continue" {
      throw ErrorResponse(
        .expectationFailed, "EXPECTATION_FAILED", "Only 100-continue is supported.")
    }
    if let coding = request.headers[.contentEncoding], coding.lowercased() != "identity" {
      throw ErrorResponse(
        .unsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE", "Send the body without Content-Encoding.")
    }
  }
}
