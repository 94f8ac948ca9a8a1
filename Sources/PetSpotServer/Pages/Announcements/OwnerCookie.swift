import Foundation
import HummingbirdCore
import ReportFlow

/// The cookie that gives a browser the right to change one announcement, for 30 minutes and only on its owner's pages.
/// The cookie doesn't contain the code (the management password). It contains the end of the 30 minutes, and a
/// signature of that time, the announcement's ID and the code's hash. It becomes invalid if the hash changes.
enum OwnerCookie {
  private static func cookie(_ id: String) -> SiteCookie {
    SiteCookie(
      name: "owner", prefix: "__Secure-", path: OwnerPage.path(id), seconds: 1800,
      sameSite: "Strict")
  }

  /// Returns the owner. `nil` if the browser has sent no valid cookie for this announcement.
  ///
  /// - Throws: `notFound`; `closed` if the announcement was erased.
  static func owner(
    _ context: RequestContext, id: String, in stores: Stores, now: Date = Date()
  ) async throws -> AnnouncementOwner? {
    let owner = try await stores.announcements.owner(id: id)
    let values = cookie(id).values(context)
    if values.isEmpty { return nil }
    let key = try await stores.cookieKey
    let isGood = values.contains { value in
      let parts = value.split(separator: ".").map(String.init)
      guard parts.count == 2, let end = Int(parts[0]), Double(end) > now.timeIntervalSince1970
      else { return false }
      return Cookies.isSigned(signed(owner, end), by: parts[1], key)
    }
    return isGood ? owner : nil
  }

  /// Returns the `Set-Cookie` line that grants the right.
  static func line(
    _ owner: AnnouncementOwner, _ context: RequestContext, in stores: Stores, now: Date = Date()
  ) async throws -> String {
    let cookie = cookie(owner.id)
    let end = Int(now.timeIntervalSince1970) + cookie.seconds
    let signature = Cookies.signature(of: signed(owner, end), try await stores.cookieKey)
    return cookie.line("\(end).\(signature)", context)
  }

  /// Returns the `Set-Cookie` line that withdraws the right.
  static func removal(_ context: RequestContext, id: String) -> String {
    cookie(id).removal(context)
  }

  private static func signed(_ owner: AnnouncementOwner, _ end: Int) -> String {
    "owner \(owner.id):\(end):\(owner.hash)"
  }
}
