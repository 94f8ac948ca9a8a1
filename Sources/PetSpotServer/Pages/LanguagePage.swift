import HummingbirdCore
import ReportFlow

/// Changes the language.
struct LanguagePage: Sendable {
  let limits: Limits

  /// `POST /language` with `language`, and `return`, a path of this site.
  @Sendable func choose(_ context: RequestContext) async throws -> Response {
    let form = try await PostedForm.receive(context, within: limits)
    guard let language = Language(rawValue: form["language"]) else { throw ErrorResponse.badForm }
    return .see(LocalPath(form["return"]).text, cookies: [language.setCookie])
  }
}
