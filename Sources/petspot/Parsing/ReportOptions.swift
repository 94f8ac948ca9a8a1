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

  /// POSIX: the first of these variables that is set and not empty names the locale.
  static func language(of environment: [String: String]) -> Language {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    return locale.flatMap { Language(rawValue: String($0.prefix(2))) } ?? .en
  }
}

/// The options of every report command.
struct ReportOptions: ParsableArguments {
  @OptionGroup var draft: DraftOptions
  @OptionGroup var server: ServerOptions
  @OptionGroup var language: LanguageOptions
  @OptionGroup var options: GlobalOptions
}
