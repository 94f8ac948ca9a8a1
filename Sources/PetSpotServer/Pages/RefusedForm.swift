import Foundation
import HummingbirdCore
import ReportFlow

/// A form of an owner's page that was refused. No draft holds it: the browser keeps it for a minute, so that the
/// page which shows it again can be loaded again.
struct RefusedForm: Sendable, Codable {
  private static let seconds = 60
  /// What browsers keep of one cookie, its name and attributes included.
  private static let limit = 4096

  /// Which state of the announcement the form was made from.
  var seen: String?
  var refusal: StepRefusal

  init(_ refusal: StepRefusal, seen: String? = nil) { (self.refusal, self.seen) = (refusal, seen) }

  /// The one that the browser shows with a request for this announcement's owner page; nil when there is none.
  init?(_ context: RequestContext) {
    let values = Cookies.values(
      Self.name(isSecure: context.isSecure), in: context.request.headers)
    let forms = values.compactMap { Data(base64URL: $0) }
      .compactMap { try? JSONDecoder().decode(Self.self, from: $0) }
    guard let form = forms.first else { return nil }
    self = form
  }

  /// What makes the browser keep it; nil when it is more than a cookie holds.
  func line(_ context: RequestContext, id: String) -> String? {
    guard let data = try? JSONEncoder().encode(self) else { return nil }
    let line = Self.line(data.base64URL, Self.seconds, context, id: id)
    return line.utf8.count <= Self.limit ? line : nil
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
