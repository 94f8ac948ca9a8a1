import HTTPTypes
import HummingbirdCore

/// The security headers of every response.
struct SecurityHeaders: Sendable {
  private static let contentSecurityPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    + "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
  private static let headers: [(HTTPField.Name, String)] = [
    (.init("X-Content-Type-Options")!, "nosniff"),
    (.init("Content-Security-Policy")!, contentSecurityPolicy),
    (referrerPolicy, "same-origin"),
    (.init("X-Frame-Options")!, "DENY"),
    (.init("Cross-Origin-Resource-Policy")!, "same-origin"),
    (.init("Permissions-Policy")!, "camera=(), microphone=(), geolocation=(self)"),
  ]
  private static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
  private static let requestID = HTTPField.Name("request-id")!
  private static let strictTransport = HTTPField.Name("Strict-Transport-Security")!

  /// `true` if this server itself uses TLS.
  let isTLS: Bool
  /// `true` if the server shows a person's own photos. Browsers must not keep any of them.
  let isLibrary: Bool

  /// Returns `true` if a response already has these headers.
  static func areIn(_ headers: HTTPFields) -> Bool { headers.contains(requestID) }

  /// Adds the headers that are missing.
  func apply(to response: inout Response, id: String) {
    if isLibrary {
      response.headers[.cacheControl] = "no-store"
      response.headers[Self.referrerPolicy] = "no-referrer"
    }
    for (name, value) in Self.headers where response.headers[name] == nil {
      response.headers[name] = value
    }
    response.headers[Self.requestID] = id
    if isTLS { response.headers[Self.strictTransport] = "max-age=31536000" }
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
  }
}
