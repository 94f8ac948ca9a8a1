import ArgumentParser
import ReportFlow

/// The option of commands whose texts come in the reader's language.
struct LanguageOptions: ParsableArguments {
  @Option(
    name: .customLong("lang"), help: .words("help.option.language", "language"),
    completion: .list(Language.allCases.map(\.rawValue)), transform: Self.parse)
  var given: Language?

  private static func parse(_ argument: String) throws -> Language {
    guard let language = Language(rawValue: argument) else {
      throw ValidationError(text: "usage.notALanguage")
    }
    return language
  }

  /// The texts in the chosen language: `--lang`, else the locale of the environment, else English.
  var words: Words { given.map(Words.init) ?? .ofProcess }
}

struct ReportOptions: ParsableArguments {
  @OptionGroup var draft: DraftOptions
  @OptionGroup var server: ServerOptions
  @OptionGroup var options: GlobalOptions

  /// The language of the texts.
  var language: LanguageOptions { options.language }
}
