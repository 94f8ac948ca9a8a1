import Foundation
import HummingbirdCore
import ReportFlow

/// A form of an owner's page that was refused. No draft holds it: the browser keeps it for a minute, so that the
/// page which shows it again can be loaded again. The cookie is signed, because a server of a sibling domain can
/// set it too.
struct RefusedForm: Sendable, Codable {
  /// What browsers keep of one cookie, its name and attributes included.
  private static let limit = 4096

  /// Which state of the announcement the form was made from.
  var seen: String?
  var refusal: StepRefusal

  init(_ refusal: StepRefusal, seen: String? = nil) { (self.refusal, self.seen) = (refusal, seen) }

  /// The one that the browser shows with a request for this announcement's owner page; nil when there is none.
  init?(_ context: RequestContext, id: String, on site: Site) async throws {
    let values = Self.cookie(id).values(context)
    if values.isEmpty { return nil }
    let key = try await site.cookieKey
    let forms = values.compactMap { value -> Self? in
      let parts = value.split(separator: ".").map(String.init)
      guard parts.count == 2, Cookies.isSigned(Self.signed(parts[0], id), by: parts[1], key),
        let data = Data(base64URL: parts[0])
      else { return nil }
      // Another version of this program may have signed it.
      return try? JSONDecoder().decode(Self.self, from: data)
    }
    guard let form = forms.first else { return nil }
    self = form
  }

  /// What makes the browser keep it; nil when it is more than a cookie holds.
  func line(_ context: RequestContext, id: String, on site: Site) async throws -> String? {
    let value = try JSONEncoder().encode(self).base64URL
    let signature = Cookies.signature(of: Self.signed(value, id), try await site.cookieKey)
    let line = Self.cookie(id).line(value + "." + signature, context)
    return line.utf8.count <= Self.limit ? line : nil
  }

  /// Takes it back.
  static func removal(_ context: RequestContext, id: String) -> String {
    cookie(id).removal(context)
  }

  private static func signed(_ value: String, _ id: String) -> String { "refused \(id):\(value)" }

  private static func cookie(_ id: String) -> SiteCookie {
    SiteCookie(
      name: "refused", prefix: "__Secure-", path: OwnerPage.path(id), seconds: 60,
      sameSite: "Strict")
  }
}
