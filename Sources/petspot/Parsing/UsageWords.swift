import ArgumentParser
import Foundation
import PhotoIngestion

/// Wrong usages that several commands have, in the reader's language.
enum UsageWords {
  static func atLeastOne(_ option: String) -> ValidationError {
    ValidationError(
      L10n.words(.optionBelowOne(option: option)))
  }

  static func excluding(_ one: String, _ other: String) -> ValidationError {
    ValidationError(
      L10n.words(.optionsExclusive(one: one, other: other)))
  }

  static func together(_ one: String, _ other: String) -> ValidationError {
    ValidationError(
      L10n.words(.optionsTogether(one: one, other: other)))
  }

  static func needing(_ one: String, _ other: String) -> ValidationError {
    ValidationError(
      L10n.words(.optionNeeds(one: one, other: other)))
  }
}

/// Arguments as a shell takes them.
enum ShellWords {
  /// A command line that does the same again.
  static func line(_ arguments: [String]) -> String {
    arguments.map(quoted).joined(separator: " ")
  }

  /// One argument; what a terminal would obey is shown and not kept.
  static func quoted(_ argument: String) -> String {
    let text = ReadableText.escaped(RawArguments.text(argument))
    let isPlain = text.wholeMatch(of: /[A-Za-z0-9_.,:\/@%+=-]+/) != nil
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
