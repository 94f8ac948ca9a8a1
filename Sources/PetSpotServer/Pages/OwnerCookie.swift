import Foundation
import HTTPTypes
import Hashing
import HummingbirdCore
import ReportFlow

/// The right to change one announcement, for 30 minutes and its owner's pages only. The cookie holds no
/// code: it is a signature over the announcement's id, the record of its code and the end of the 30 minutes,
/// and good as long as that record is.
enum OwnerCookie {
  static let seconds = 1800

  /// The owner; nil when the browser shows no cookie for this announcement that is still good.
  ///
  /// - Throws: `notFound`, `closed` for an erased one.
  static func owner(
    _ context: RequestContext, id: String, on site: Site, now: Date = Date()
  ) async throws -> AnnouncementOwner? {
    let owner = try await site.announcements.owner(id: id)
    let values = Cookies.values(name(isSecure: context.isSecure), in: context.request.headers)
    if values.isEmpty { return nil }
    let key = Array(try await site.drafts.secret())
    let isGood = values.contains { value in
      let parts = value.split(separator: ".")
      guard parts.count == 2, let end = Int(parts[0]), Double(end) > now.timeIntervalSince1970
      else { return false }
      return isSame(Array(value.utf8), Array(Self.value(of: owner, end: end, key).utf8))
    }
    return isGood ? owner : nil
  }

  /// Hands the right out.
  static func line(
    _ owner: AnnouncementOwner, _ context: RequestContext, on site: Site, now: Date = Date()
  ) async throws -> String {
    let key = Array(try await site.drafts.secret())
    let value = value(of: owner, end: Int(now.timeIntervalSince1970) + seconds, key)
    return line(value, seconds, id: owner.id, isSecure: context.isSecure)
  }

  /// Takes it back.
  static func removal(_ context: RequestContext, id: String) -> String {
    line("", 0, id: id, isSecure: context.isSecure)
  }

  private static func value(of owner: AnnouncementOwner, end: Int, _ key: [UInt8]) -> String {
    let signed = Array("owner \(owner.id):\(end):\(owner.hash)".utf8)
    return "\(end)." + Data(hmac(signed, key: key)).base64URL
  }

  private static func name(isSecure: Bool) -> String { isSecure ? "__Secure-owner" : "owner" }

  private static func line(
    _ value: String, _ seconds: Int, id: String, isSecure: Bool
  ) -> String {
    Cookies.line(
      name(isSecure: isSecure), value, path: OwnerPage.path(id), seconds: seconds,
      sameSite: "Strict", isSecure: isSecure)
  }
}
