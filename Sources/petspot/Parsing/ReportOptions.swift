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
      Speech.pick(
        en: "The language of the texts, en or pl; without it, as the environment says.",
        pl: "Język tekstów: en lub pl; bez tej opcji język systemu."),
      valueName: "language"),
    completion: .list(Language.allCases.map(\.rawValue)),
    transform: Self.parse)
  var given: Language?

  private static func parse(_ argument: String) throws -> Language {
    guard let language = Language(rawValue: argument) else {
      throw ArgumentParser.ValidationError(
        Speech.pick(en: "The language has to be en or pl.", pl: "Język to en lub pl."))
    }
    return language
  }

  /// The texts in the chosen language: `--lang`, else the locale of the environment, else English.
  var words: ReportFlow.Words {
    ReportFlow.Words(given ?? .spoken(in: ProcessInfo.processInfo.environment))
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
