import HummingbirdCore
import Crypto
import Foundation
import HTTPTypes

/// The secret by which a browser names its draft (decision 31).
struct DraftCookie: Sendable {
  /// The id of the draft in the stores. They never see the secret: who reads them could not open
  /// anybody's draft.
  let draft: String
  /// Hands the secret out, or puts off the end of its seven days (decision 12).
  let setCookie: String

  /// The browser's own secret, or a new one when it has none of ours. A secret without a draft names an
  /// empty one; nothing is written for it.
  init(_ exchange: Exchange) {
    let secret = Self.secret(of: exchange) ?? Self.newSecret()
    draft = Self.draft(named: secret)
    setCookie = Self.line(secret, 7 * 24 * 3600, isSecure: exchange.isSecure)
  }

  /// The draft of the browser that asks; nil when it has shown no secret.
  static func draft(of exchange: Exchange) -> String? {
    secret(of: exchange).map(draft(named:))
  }

  /// Takes the secret back.
  static func removal(_ exchange: Exchange) -> String { line("", 0, isSecure: exchange.isSecure) }

  private static func name(isSecure: Bool) -> String { isSecure ? "__Host-draft" : "draft" }

  private static func secret(of exchange: Exchange) -> String? {
    let value = Cookies.value(name(isSecure: exchange.isSecure), in: exchange.request.headers)
    return value.flatMap { $0.wholeMatch(of: /[A-Za-z0-9_\-]{43}/) == nil ? nil : $0 }
  }

  /// 256 random bits as base64url.
  private static func newSecret() -> String {
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
    return Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  private static func draft(named secret: String) -> String {
    "web-" + SHA256.hash(data: Data(secret.utf8)).hex
  }

  private static func line(_ secret: String, _ seconds: Int, isSecure: Bool) -> String {
    "\(name(isSecure: isSecure))=\(secret); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax"
      + (isSecure ? "; Secure" : "")
  }
}

extension Digest {
  /// In hexadecimal, lower case.
  var hex: String {
    map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
