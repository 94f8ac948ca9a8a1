import Foundation
import Hashing
import HummingbirdCore
import ReportFlow

/// A form of an owner's page that was refused. No draft holds it: the browser keeps it for a minute, so that the
/// page which shows it again can be loaded again. The cookie is signed, because a server of a sibling domain can
/// set it too.
struct RefusedForm: Sendable, Codable {
  private static let seconds = 60
  /// What browsers keep of one cookie, its name and attributes included.
  private static let limit = 4096

  /// Which state of the announcement the form was made from.
  var seen: String?
  var refusal: StepRefusal

  init(_ refusal: StepRefusal, seen: String? = nil) { (self.refusal, self.seen) = (refusal, seen) }

  /// The one that the browser shows with a request for this announcement's owner page; nil when there is none.
  init?(_ context: RequestContext, id: String, on site: Site) async throws {
    let values = Cookies.values(
      Self.name(isSecure: context.isSecure), in: context.request.headers)
    if values.isEmpty { return nil }
    let key = Array(try await site.drafts.secret())
    let forms = values.compactMap { value -> Self? in
      let parts = value.split(separator: ".").map(String.init)
      guard parts.count == 2,
        isSame(Array(parts[1].utf8), Array(Self.signature(parts[0], id, key).utf8)),
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
    let signature = Self.signature(value, id, Array(try await site.drafts.secret()))
    let line = Self.line(value + "." + signature, Self.seconds, context, id: id)
    return line.utf8.count <= Self.limit ? line : nil
  }

  private static func signature(_ value: String, _ id: String, _ key: [UInt8]) -> String {
    Data(hmac(Array("refused \(id):\(value)".utf8), key: key)).base64URL
  }

  /// Takes it back.
  static func removal(_ context: RequestContext, id: String) -> String {
    line("", 0, context, id: id)
  }

  private static func name(isSecure: Bool) -> String { isSecure ? "__Secure-refused" : "refused" }

  private static func line(
    _ value: String, _ seconds: Int, _ context: RequestContext, id: String
  ) -> String {
    Cookies.line(
      name(isSecure: context.isSecure), value, path: OwnerPage.path(id), seconds: seconds,
      sameSite: "Strict", isSecure: context.isSecure)
  }
}
