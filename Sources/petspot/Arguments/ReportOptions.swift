import ArgumentParser
import ReportFlow

/// The option for the language of a command's texts.
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
}

/// The options that all `petspot report` commands share.
struct ReportOptions: ParsableArguments {
  @OptionGroup var draft: DraftOptions
  @OptionGroup var server: ServerOptions
  @OptionGroup var options: GlobalOptions
}
