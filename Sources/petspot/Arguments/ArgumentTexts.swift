import ArgumentParser
import ReportFlow

/// A wrong usage. `ReportFlow.ValidationError` is one field's.
typealias ValidationError = ArgumentParser.ValidationError

extension ValidationError {
  /// The message in the reader's language.
  init(text: TextKey, _ values: [String: String] = [:]) { self.init(L10n.words(text, values)) }

  /// Throws if two options are given of which only one may be.
  static func rejectBoth(
    _ one: String, _ isOneGiven: Bool, _ other: String, _ isOtherGiven: Bool
  ) throws {
    guard isOneGiven, isOtherGiven else { return }
    throw ValidationError(text: "usage.optionsExclusive", ["one": one, "other": other])
  }

  /// Throws if an option is given without the one that it needs.
  static func require(_ other: String, _ isOtherGiven: Bool, for one: String, _ isOneGiven: Bool)
    throws
  {
    guard isOneGiven, !isOtherGiven else { return }
    throw ValidationError(text: "usage.optionNeeds", ["one": one, "other": other])
  }
}

extension ArgumentHelp {
  /// What an argument is for, in the reader's language, and what help calls its value.
  static func words(_ text: TextKey, _ value: String? = nil) -> Self {
    Self(L10n.words(text), valueName: value)
  }
}

extension Option where Value == String? {
  /// An option that takes any text, even one that begins with a dash.
  init(text: TextKey, _ value: String = "text", completion: CompletionKind? = nil) {
    self.init(
      parsing: .unconditional, help: .words(text, value), completion: completion,
      transform: RawArguments.text)
  }
}

extension CommandConfiguration {
  /// A command's first line, the paragraphs below it, and command lines to copy, in the reader's
  /// language. Without a name, the command is called as its type is.
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
