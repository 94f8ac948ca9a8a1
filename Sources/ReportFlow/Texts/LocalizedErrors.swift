public import Announcements
public import Foundation

// `localizedDescription` is the sentence that pages show; `message(in:)` gives it in any language.

extension PhotoError: LocalizedError {
  /// What to tell a person, in the language of this process.
  public var errorDescription: String? { message(in: .ofProcess) }
}

extension StoreError: LocalizedError {
  /// What to tell a person, in the language of this process.
  public var errorDescription: String? { message(in: .ofProcess) }
}

extension AnnouncementError: LocalizedError {
  /// What to tell a person, in the language of this process.
  public var errorDescription: String? { message(in: .ofProcess, now: Date()) }
}

extension Words {
  /// The texts in the language of this process's environment.
  package static let ofProcess = Words(.spoken(in: ProcessInfo.processInfo.environment))
}

extension Language {
  /// POSIX: the first of these variables that is set and not empty names the locale. GNU's `LANGUAGE`
  /// lists languages before it, which count unless the locale is the plain one.
  package static func spoken(in environment: [String: String]) -> Language {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    if let locale, ["C", "POSIX"].contains(locale) { return .en }
    let listed = (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init)
    return (listed + [locale].compactMap { $0 }).lazy
      .compactMap { Language(rawValue: String($0.prefix(2))) }.first ?? .en
  }
}
