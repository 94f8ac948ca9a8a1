import Foundation
import HTTPTypes
import HummingbirdCore
import ReportFlow

extension Language {
  static let cookie = "language"

  /// The language a person chose, else the one their browser prefers (RFC 9110, 12.5.4), else English.
  init(of headers: HTTPFields) {
    let chosen = Cookies.values(Self.cookie, in: headers).compactMap(Self.init(rawValue:))
    if let chosen = chosen.first {
      self = chosen
    } else {
      self.init(acceptLanguage: headers[.acceptLanguage] ?? "")
    }
  }

  /// The same; nil for a client that says nothing of languages.
  static func said(in headers: HTTPFields) -> Self? {
    headers[.acceptLanguage] == nil && Cookies.values(cookie, in: headers).isEmpty
      ? nil : Self(of: headers)
  }

  /// Keeps a choice for a year.
  var setCookie: String {
    "\(Self.cookie)=\(rawValue); Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly"
  }
}

/// A change of language.
struct LanguagePage: Sendable {
  let site: Site

  /// `POST /language` with `language`, and `return`, a path of this site.
  @Sendable func choose(_ context: RequestContext) async throws -> Response {
    let form = try await PostedForm.receive(context, on: site)
    guard let language = Language(rawValue: form["language"]) else { throw ErrorResponse.badForm }
    return .see(LocalPath(form["return"]).text, cookies: [language.setCookie])
  }
}
