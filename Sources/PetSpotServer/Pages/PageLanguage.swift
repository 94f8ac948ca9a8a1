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

/// Cookies of a request (RFC 6265, 4.2.1).
enum Cookies {
  /// The values of all cookies of this name: other paths and other hosts of the site may set one, too, and
  /// a browser sends them in an order that they choose.
  static func values(_ name: String, in headers: HTTPFields) -> [String] {
    (headers[.cookie] ?? "").split(separator: ";").compactMap { pair in
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == name else {
        return nil
      }
      return parts[1].trimmingCharacters(in: .whitespaces)
    }
  }

  /// What sets a cookie that no script reads; after 0 seconds it is gone.
  static func line(
    _ name: String, _ value: String, path: String = "/", seconds: Int, sameSite: String = "Lax",
    isSecure: Bool
  ) -> String {
    "\(name)=\(value); Path=\(path); Max-Age=\(seconds); HttpOnly; SameSite=\(sameSite)"
      + (isSecure ? "; Secure" : "")
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
