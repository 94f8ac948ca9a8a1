public import Announcements
public import Foundation
public import PhotoModel

// `localizedDescription` is the sentence that pages show. `message(in:)` returns it in any language.

extension PhotoError: LocalizedError {
  /// The sentence for a person, in this process's language.
  public var errorDescription: String? { message(in: .ofProcess) }
}

extension StoreError: LocalizedError {
  /// The sentence for a person, in this process's language.
  public var errorDescription: String? { message(in: .ofProcess) }
}

extension AnnouncementError: LocalizedError {
  /// The sentence for a person, in this process's language.
  public var errorDescription: String? { message(in: .ofProcess, now: Date()) }
}

extension Words {
  /// The texts in the language of this process's environment.
  package static let ofProcess = Words(.spoken(in: ProcessInfo.processInfo.environment))
}

extension Language {
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
