import Foundation
import HummingbirdCore
import ReportFlow

/// The right to change one announcement, for 30 minutes and its owner's pages only. The cookie holds no
/// code: it is a signature over the announcement's id, the record of its code and the end of the 30 minutes,
/// and good as long as that record is.
enum OwnerCookie {
  private static func cookie(_ id: String) -> SiteCookie {
    SiteCookie(
      name: "owner", prefix: "__Secure-", path: OwnerPage.path(id), seconds: 1800,
      sameSite: "Strict")
  }

  /// The owner; nil when the browser shows no cookie for this announcement that is still good.
  ///
  /// - Throws: `notFound`, `closed` for an erased one.
  static func owner(
    _ context: RequestContext, id: String, on site: Site, now: Date = Date()
  ) async throws -> AnnouncementOwner? {
    let owner = try await site.announcements.owner(id: id)
    let values = cookie(id).values(context)
    if values.isEmpty { return nil }
    let key = try await site.cookieKey
    let isGood = values.contains { value in
      let parts = value.split(separator: ".").map(String.init)
      guard parts.count == 2, let end = Int(parts[0]), Double(end) > now.timeIntervalSince1970
      else { return false }
      return Cookies.isSigned(signed(owner, end), by: parts[1], key)
    }
    return isGood ? owner : nil
  }

  /// Hands the right out.
  static func line(
    _ owner: AnnouncementOwner, _ context: RequestContext, on site: Site, now: Date = Date()
  ) async throws -> String {
    let cookie = cookie(owner.id)
    let end = Int(now.timeIntervalSince1970) + cookie.seconds
    let signature = Cookies.signature(of: signed(owner, end), try await site.cookieKey)
    return cookie.line("\(end).\(signature)", context)
  }

  /// Takes it back.
  static func removal(_ context: RequestContext, id: String) -> String {
    cookie(id).removal(context)
  }

  private static func signed(_ owner: AnnouncementOwner, _ end: Int) -> String {
    "owner \(owner.id):\(end):\(owner.hash)"
  }
}
