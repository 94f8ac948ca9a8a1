import Foundation
import HTTPTypes
import ReportFlow

extension Language {
  static let cookie = "language"

  /// Selects the language that the visitor chose, or the one that the browser prefers (RFC 9110, 12.5.4), or the
  /// operator's.
  init(of headers: HTTPFields, orElse other: Self) {
    let chosen = Cookies.values(Self.cookie, in: headers).compactMap(Self.init(rawValue:))
    if let chosen = chosen.first {
      self = chosen
    } else {
      self.init(acceptLanguage: headers[.acceptLanguage] ?? "", orElse: other)
    }
  }

  /// Returns the language of a request. `nil` if the client names none at all.
  static func said(in headers: HTTPFields) -> Self? {
    headers[.acceptLanguage] == nil && Cookies.values(cookie, in: headers).isEmpty
      ? nil : Self(of: headers, orElse: .en)
  }

  /// The `Set-Cookie` line that keeps the choice for a year.
  var setCookie: String {
    "\(Self.cookie)=\(rawValue); Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly"
  }
}
