import ArgumentParser
import ReportFlow

/// An error in how a command is used. `ReportFlow.ValidationError` is about a form field instead.
typealias ValidationError = ArgumentParser.ValidationError

extension ValidationError {
  /// Creates an error with a message in the reader's language.
  init(text: TextKey, _ values: [String: String] = [:]) { self.init(L10n.words(text, values)) }

  /// Throws if two options are given that exclude each other.
  static func rejectBoth(
    _ one: String, _ isOneGiven: Bool, _ other: String, _ isOtherGiven: Bool
  ) throws {
    guard isOneGiven, isOtherGiven else { return }
    throw ValidationError(text: "usage.optionsExclusive", ["one": one, "other": other])
  }

  /// Throws if an option is given without the option that it requires.
  static func require(_ other: String, _ isOtherGiven: Bool, for one: String, _ isOneGiven: Bool)
    throws
  {
    guard isOneGiven, !isOtherGiven else { return }
    throw ValidationError(text: "usage.optionNeeds", ["one": one, "other": other])
  }
}

extension ArgumentHelp {
  /// Returns the help for an argument in the reader's language, and the name of its value.
  static func words(_ text: TextKey, _ value: String? = nil) -> Self {
    Self(L10n.words(text), valueName: value)
  }
}

extension Option where Value == String? {
  /// Creates an option that accepts any text, even text that begins with a dash.
  init(text: TextKey, _ value: String = "text", completion: CompletionKind? = nil) {
    self.init(
      parsing: .unconditional, help: .words(text, value), completion: completion,
      transform: RawArguments.text)
  }
}

extension CommandConfiguration {
  /// Creates a configuration from a summary line, the paragraphs below it and example command lines, in the reader's
  /// language. Without a name, the command is named after its type.
  init(
    named name: String? = nil, _ abstract: TextKey, _ discussion: TextKey? = nil, examples: String,
    subcommands: [any ParsableCommand.Type] = [],
    defaultSubcommand: (any ParsableCommand.Type)? = nil
  ) {
    self.init(
      commandName: name, abstract: L10n.words(abstract),
      discussion: HelpText.text(discussion, examples: examples), subcommands: subcommands,
      defaultSubcommand: defaultSubcommand)
  }
}
