import Foundation
import HTTPTypes
import Hashing
import HummingbirdCore
import ReportFlow

/// Cookies of a request (RFC 6265, 4.2.1).
enum Cookies {
  /// Returns the values of all cookies with this name. Other paths and hosts of the site may set one too, and a browser
  /// sends them in an order that those can influence.
  static func values(_ name: String, in headers: HTTPFields) -> [String] {
    (headers[.cookie] ?? "").split(separator: ";").compactMap { pair in
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == name else {
        return nil
      }
      return parts[1].trimmingCharacters(in: .whitespaces)
    }
  }

  /// Returns the signature of a text. Only a site with the key can create it.
  static func signature(of text: String, _ key: [UInt8]) -> String {
    Data(hmac(Array(text.utf8), key: key)).base64URL
  }

  /// Returns `true` if the signature is the text's.
  static func isSigned(_ text: String, by signature: String, _ key: [UInt8]) -> Bool {
    isSame(Array(signature.utf8), Array(Self.signature(of: text, key).utf8))
  }
}

/// A cookie of this site that scripts can't read.
struct SiteCookie: Sendable {
  let name: String
  /// The prefix of the name over TLS. Browsers accept a cookie with `__Secure-` only over TLS, and one with `__Host-`
  /// also only from this host and for the path `/`.
  var prefix = "__Host-"
  var path = "/"
  let seconds: Int
  var sameSite = "Lax"

  private func name(_ context: RequestContext) -> String {
    (context.isSecure ? prefix : "") + name
  }

  /// Returns the values that the browser has sent.
  func values(_ context: RequestContext) -> [String] {
    Cookies.values(name(context), in: context.request.headers)
  }

  /// Returns the `Set-Cookie` line that sets the cookie.
  func line(_ value: String, _ context: RequestContext) -> String {
    line(value, seconds, context)
  }

  /// Returns the `Set-Cookie` line that deletes the cookie.
  func removal(_ context: RequestContext) -> String { line("", 0, context) }

  private func line(_ value: String, _ seconds: Int, _ context: RequestContext) -> String {
    "\(name(context))=\(value); Path=\(path); Max-Age=\(seconds); HttpOnly; SameSite=\(sameSite)"
      + (context.isSecure ? "; Secure" : "")
  }
}

extension Data {
  /// The bytes as base64url without padding (RFC 4648, section 5).
  var base64URL: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  /// Decodes the result of `base64URL`. Fails for any other text.
  init?(base64URL text: String) {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    self.init(
      base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
    guard base64URL == text else { return nil }
  }
}
