import Foundation
import HTTPTypes
import Hashing
import HummingbirdCore
import PhotoIngestion
import ReportFlow

/// The cookie whose secret identifies a browser's draft (decision 31).
struct DraftCookie: Sendable {
  /// The draft's ID in the stores, a hash of the secret. Someone who can read the stores can't open a draft with it.
  let draft: String
  /// The `Set-Cookie` line that sets the secret or extends its seven days (decision 12).
  let setCookie: String
  /// `true` if the browser has sent no secret of this server.
  let isNew: Bool
  private let secret: String
  private let key: [UInt8]

  private static let cookie = SiteCookie(name: "draft", seconds: 7 * 24 * 3600)

  /// Reads the browser's secret. Creates a new one if the browser has none that this server has signed, so that another
  /// site can't choose the secret of a visitor's draft. A secret without a stored draft belongs to an empty one.
  init(_ context: RequestContext, in stores: Stores) async throws {
    key = try await stores.cookieKey
    let given = Self.secret(of: context, key)
    secret = given ?? Self.newSecret(key)
    isNew = given == nil
    draft = Self.draft(named: secret)
    setCookie = Self.cookie.line(secret, context)
  }

  /// Returns the browser's draft. `nil` if the browser has sent no secret of this server.
  static func draft(of context: RequestContext, in stores: Stores) async throws -> String? {
    secret(of: context, try await stores.cookieKey).map(draft(named:))
  }

  /// Returns the `Set-Cookie` line that deletes the secret.
  static func removal(_ context: RequestContext) -> String { cookie.removal(context) }

  private static func secret(of context: RequestContext, _ key: [UInt8]) -> String? {
    cookie.values(context).first {
      guard let bytes = Data(base64URL: $0), bytes.count == 64 else { return false }
      return isSame(Array(bytes.suffix(32)), signature(of: bytes.prefix(32), key))
    }
  }

  /// Returns 256 random bits and their signature as base64url.
  private static func newSecret(_ key: [UInt8]) -> String {
    let bits = Data(randomBytes(32))
    return (bits + signature(of: bits, key)).base64URL
  }

  /// Signs the bits with a prefix, because the key also signs other values.
  private static func signature(of bits: Data, _ key: [UInt8]) -> [UInt8] {
    hmac(Array("draft:".utf8) + bits, key: key)
  }

  fileprivate static func draft(named secret: String) -> String {
    "web-" + sha256(of: Array(secret.utf8))
  }

  /// Returns the `Set-Cookie` lines that replace a browser's draft by its published report.
  func handOver(
    _ context: RequestContext, announcement id: String?, now: Date = Date()
  ) -> [String] {
    let end = Int(now.timeIntervalSince1970) + PublishedCookie.seconds
    let signature = Cookies.signature(of: PublishedCookie.signed(secret, end), key)
    let earlier = PublishedCookie.entries(context, key, now).filter { !$0.hasPrefix(secret + ".") }
    let entries = ["\(secret).\(end).\(signature)"] + earlier.prefix(PublishedCookie.most - 1)
    return [
      PublishedCookie.cookie.line(entries.joined(separator: "~"), context),
      Self.removal(context),
    ] + (id.map { [PublishedCookie.announced.line($0, context)] } ?? [])
  }
}

/// The cookie whose secrets identify published reports, so that their codes can be shown again for an hour. The browser
/// has given up the drafts, and its next report is a new one.
struct PublishedCookie: Sendable {
  /// The ids of the published drafts in the stores, newest first. Never empty.
  let drafts: [String]

  static let seconds = 3600
  /// The number of reports in the cookie, as a shelter publishes them in a row.
  fileprivate static let most = 12

  fileprivate static let cookie = SiteCookie(name: "published", seconds: seconds)
  fileprivate static let announced = SiteCookie(
    name: "announced", prefix: "__Secure-", path: "/report", seconds: 7 * 24 * 3600)

  /// Reads the cookie. Fails if it's missing, expired, or not signed by this server.
  init?(_ context: RequestContext, in stores: Stores, now: Date = Date()) async throws {
    let entries = Self.entries(context, try await stores.cookieKey, now)
    if entries.isEmpty { return nil }
    drafts = entries.map { DraftCookie.draft(named: String($0.prefix { $0 != "." })) }
  }

  /// Returns the valid parts of the cookie, each a secret, the time until which it holds, and their signature.
  fileprivate static func entries(_ context: RequestContext, _ key: [UInt8], _ now: Date)
    -> [String]
  {
    var known = Set<String>()
    let given = cookie.values(context).flatMap { $0.split(separator: "~") }.map(String.init)
    return given.filter { known.insert($0).inserted }.prefix(most).filter { entry in
      let parts = entry.split(separator: ".").map(String.init)
      guard parts.count == 3, let end = Int(parts[1]) else { return false }
      return Double(end) > now.timeIntervalSince1970
        && Cookies.isSigned(signed(parts[0], end), by: parts[2], key)
    }
  }

  /// Returns the `Set-Cookie` line that deletes the cookie.
  static func removal(_ context: RequestContext) -> String { cookie.removal(context) }

  /// Returns the announcement that the browser published last. Back leads there for as long as drafts are kept, even
  /// after the page with the code has expired.
  static func announcement(_ context: RequestContext) -> String? {
    announced.values(context).compactMap { UUID(uuidString: $0)?.uuidString.lowercased() }.first
  }

  fileprivate static func signed(_ secret: String, _ end: Int) -> String {
    "published:\(secret).\(end)"
  }
}
