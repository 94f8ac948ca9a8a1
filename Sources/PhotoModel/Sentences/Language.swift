import Foundation

/// The languages of sentences and of the interface (decision 29).
public enum Language: String, Sendable, CaseIterable, Codable, CodingKeyRepresentable {
  case en, pl

  /// The language that the environment of this process selects, or English.
  public static let ofEnvironment = spoken(in: ProcessInfo.processInfo.environment)

  /// Returns the language that an `Accept-Language` header prefers (RFC 9110, 12.5.4), or another one.
  public init(acceptLanguage header: String, orElse other: Self = .en) {
    var best: (language: Self, weight: Double)?
    for entry in header.split(separator: ",").prefix(20) {
      let parts = entry.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      let name = parts.first?.split(separator: "-").first.map { $0.lowercased() } ?? ""
      guard let language = Self(rawValue: name) else { continue }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }
      let weight = quality.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
      if weight > best?.weight ?? 0 { best = (language, weight) }
    }
    self = best?.language ?? other
  }

  /// Returns the language that a POSIX environment selects, or English. The first variable that is set and not empty
  /// names the locale. The languages in GNU's `LANGUAGE` take precedence unless that locale is `C` or `POSIX`.
  package static func spoken(in environment: [String: String]) -> Language {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    if let locale, ["C", "POSIX"].contains(locale) { return .en }
    let listed = (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init)
    return (listed + [locale].compactMap { $0 }).lazy
      .compactMap { Language(rawValue: String($0.prefix(2))) }.first ?? .en
  }
}
