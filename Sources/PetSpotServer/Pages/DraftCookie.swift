import Foundation
import HTTPTypes
import Hashing
import HummingbirdCore
import PhotoIngestion
import ReportFlow

/// The secret by which a browser names its draft (decision 31).
struct DraftCookie: Sendable {
  /// The id of the draft in the stores. They never see the secret: who reads them could not open
  /// anybody's draft.
  let draft: String
  /// Hands the secret out, or puts off the end of its seven days (decision 12).
  let setCookie: String
  /// Whether the browser came without one.
  let isNew: Bool
  private let secret: String
  private let key: [UInt8]

  private static let cookie = SiteCookie(name: "draft", seconds: 7 * 24 * 3600)

  /// The browser's own secret, or a new one when it has none that this server gave, so that no site can make another
  /// person go on with a draft whose secret he has made up. A secret without a draft names an empty one;
  /// nothing is written for it.
  init(_ context: RequestContext, on site: Site) async throws {
    key = try await site.cookieKey
    let given = Self.secret(of: context, key)
    (secret, isNew) = (given ?? Self.newSecret(key), given == nil)
    draft = Self.draft(named: secret)
    setCookie = Self.cookie.line(secret, context)
  }

  /// The draft of the browser that asks; nil when it has shown no secret of this server.
  static func draft(of context: RequestContext, on site: Site) async throws -> String? {
    secret(of: context, try await site.cookieKey).map(draft(named:))
  }

  /// Takes the secret back.
  static func removal(_ context: RequestContext) -> String { cookie.removal(context) }

  private static func secret(of context: RequestContext, _ key: [UInt8]) -> String? {
    cookie.values(context).first {
      guard let bytes = Data(base64URL: $0), bytes.count == 64 else { return false }
      return isSame(Array(bytes.suffix(32)), signature(of: bytes.prefix(32), key))
    }
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

  fileprivate static func draft(named secret: String) -> String {
    "web-" + sha256(of: Array(secret.utf8))
  }

  /// Turns a browser's draft into the report it has published.
  func handOver(
    _ context: RequestContext, announcement id: String?, now: Date = Date()
  ) -> [String] {
    let end = Int(now.timeIntervalSince1970) + PublishedCookie.seconds
    let signature = Cookies.signature(of: PublishedCookie.signed(secret, end), key)
    return [
      PublishedCookie.cookie.line("\(secret).\(end).\(signature)", context),
      Self.removal(context),
    ] + (id.map { [PublishedCookie.announced.line($0, context)] } ?? [])
  }
}

/// The secret of a report that was published, by which its code can be seen again for an hour: the browser
/// has given its draft up, and the next report is another one.
struct PublishedCookie: Sendable {
  /// The id of the published draft in the stores.
  let draft: String

  static let seconds = 3600

  fileprivate static let cookie = SiteCookie(name: "published", seconds: seconds)
  fileprivate static let announced = SiteCookie(
    name: "announced", prefix: "__Secure-", path: "/report", seconds: 7 * 24 * 3600)

  /// Nil when the browser shows none of this server, or an older one.
  init?(_ context: RequestContext, on site: Site, now: Date = Date()) async throws {
    let key = try await site.cookieKey
    let secrets = Self.cookie.values(context).compactMap { value -> String? in
      let parts = value.split(separator: ".").map(String.init)
      guard parts.count == 3, let end = Int(parts[1]), Double(end) > now.timeIntervalSince1970,
        Cookies.isSigned(Self.signed(parts[0], end), by: parts[2], key)
      else { return nil }
      return parts[0]
    }
    guard let secret = secrets.first else { return nil }
    draft = DraftCookie.draft(named: secret)
  }

  /// Takes it back.
  static func removal(_ context: RequestContext) -> String { cookie.removal(context) }

  /// The announcement that the browser published last, to which Back leads for as long as a draft is kept, also
  /// when the code's page is over.
  static func announcement(_ context: RequestContext) -> String? {
    announced.values(context).compactMap { UUID(uuidString: $0)?.uuidString.lowercased() }.first
  }

  fileprivate static func signed(_ secret: String, _ end: Int) -> String {
    "published:\(secret).\(end)"
  }
}
