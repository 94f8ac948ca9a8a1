import ArgumentParser
import Announcements
import Foundation
import PhotoAttachments
import ReportFlow

/// The option of commands whose texts come in the reader's language.
struct LanguageOptions: ParsableArguments {
  @Option(
    name: .customLong("lang"),
    help: ArgumentHelp(
      "The language of the texts, en or pl; without it, as the environment says.",
      valueName: "language"),
    transform: Self.parse)
  var given: Language?

  private static func parse(_ argument: String) throws -> Language {
    guard let language = Language(rawValue: argument) else {
      throw ArgumentParser.ValidationError("The language has to be en or pl.")
    }
    return language
  }

  /// The texts in the chosen language: `--lang`, else the locale of the environment, else English.
  var words: ReportFlow.Words {
    ReportFlow.Words(given ?? Self.language(of: ProcessInfo.processInfo.environment))
  }

  /// POSIX: the first of these variables that is set and not empty names the locale. GNU's `LANGUAGE`
  /// lists languages before it, which count unless the locale is the plain one.
  static func language(of environment: [String: String]) -> Language {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    if let locale, ["C", "POSIX"].contains(locale) { return .en }
    let listed = (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init)
    return (listed + [locale].compactMap { $0 }).lazy
      .compactMap { Language(rawValue: String($0.prefix(2))) }.first ?? .en
  }
}

/// The options of every report command.
struct ReportOptions: ParsableArguments {
  @OptionGroup var draft: DraftOptions
  @OptionGroup var server: ServerOptions
  @OptionGroup var options: GlobalOptions

  /// The language of the texts.
  var language: LanguageOptions { options.language }
}
