import HummingbirdCore
import Foundation
import HTTPTypes
import Hashing
import PhotoIngestion
import ReportFlow

/// The secret by which a browser names its draft (decision 31).
struct DraftCookie: Sendable {
  /// The id of the draft in the stores. They never see the secret: who reads them could not open
  /// anybody's draft.
  let draft: String
  /// Hands the secret out, or puts off the end of its seven days (decision 12).
  let setCookie: String

  /// The browser's own secret, or a new one when it has none that we have given: nobody can make another
  /// person go on with a draft whose secret he has made up. A secret without a draft names an empty one;
  /// nothing is written for it.
  init(_ exchange: Exchange, on site: Site) async throws {
    let key = Array(try await site.drafts.secret())
    let secret = Self.secret(of: exchange, key) ?? Self.newSecret(key)
    draft = Self.draft(named: secret)
    setCookie = Self.line(secret, 7 * 24 * 3600, isSecure: exchange.isSecure)
  }

  /// The draft of the browser that asks; nil when it has shown no secret of ours.
  static func draft(of exchange: Exchange, on site: Site) async throws -> String? {
    secret(of: exchange, Array(try await site.drafts.secret())).map(draft(named:))
  }

  /// Takes the secret back.
  static func removal(_ exchange: Exchange) -> String { line("", 0, isSecure: exchange.isSecure) }

  private static func name(isSecure: Bool) -> String { isSecure ? "__Host-draft" : "draft" }

  private static func secret(of exchange: Exchange, _ key: [UInt8]) -> String? {
    let name = name(isSecure: exchange.isSecure)
    guard let value = Cookies.value(name, in: exchange.request.headers),
      let bytes = Data(base64URL: value), bytes.count == 64,
      isSame(Array(bytes.suffix(32)), signature(of: bytes.prefix(32), key))
    else { return nil }
    return value
  }

  /// 256 random bits and our signature as base64url.
  private static func newSecret(_ key: [UInt8]) -> String {
    let bits = Data(randomBytes(32))
    return (bits + signature(of: bits, key)).base64URL
  }

  /// Of the bits and a word: the key serves other ends, too.
  private static func signature(of bits: Data, _ key: [UInt8]) -> [UInt8] {
    hmac(Array("draft:".utf8) + bits, key: key)
  }

  private static func draft(named secret: String) -> String {
    "web-" + sha256(of: Array(secret.utf8))
  }

  private static func line(_ secret: String, _ seconds: Int, isSecure: Bool) -> String {
    "\(name(isSecure: isSecure))=\(secret); Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax"
      + (isSecure ? "; Secure" : "")
  }
}

extension Data {
  /// As base64url without padding (RFC 4648, section 5).
  fileprivate var base64URL: String {
    base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  /// What `base64URL` writes; nil for any other text.
  fileprivate init?(base64URL text: String) {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    self.init(
      base64Encoded: text.replacing("-", with: "+").replacing("_", with: "/") + padding)
    guard base64URL == text else { return nil }
  }
}
