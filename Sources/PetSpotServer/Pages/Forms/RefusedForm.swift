import Foundation
import HummingbirdCore
import ReportFlow

/// A refused form of an owner's page. No draft stores it, so the browser keeps it in a cookie for a minute, and the
/// page with the form can be reloaded. The cookie is signed, because a server of a sibling domain can set it too.
struct RefusedForm: Sendable, Codable {
  /// The size limit of browsers for a cookie, including its name and attributes.
  private static let limit = 4096

  /// The fingerprint of the content that the form was made from.
  var seen: String?
  var refusal: StepRefusal

  init(_ refusal: StepRefusal, seen: String? = nil) {
    self.refusal = refusal
    self.seen = seen
  }

  /// Reads the form for this announcement from the browser's cookie. Fails if there is no valid one.
  init?(_ context: RequestContext, id: String, in stores: Stores) async throws {
    let values = Self.cookie(id).values(context)
    if values.isEmpty { return nil }
    let key = try await stores.cookieKey
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

  /// Returns the `Set-Cookie` line that keeps the form. `nil` if the form is too large for a cookie.
  func line(_ context: RequestContext, id: String, in stores: Stores) async throws -> String? {
    let value = try JSONEncoder().encode(self).base64URL
    let signature = Cookies.signature(of: Self.signed(value, id), try await stores.cookieKey)
    let line = Self.cookie(id).line(value + "." + signature, context)
    return line.utf8.count <= Self.limit ? line : nil
  }

  /// Returns the `Set-Cookie` line that deletes the form.
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
