import ArgumentParser
import Foundation
import ReportFlow

/// Checks of arguments before ArgumentParser reads them, for cases in which its messages are poor or missing.
enum ArgumentCheck {
  /// Returns the command that the arguments name, and the names that lead to it: `petspot announcements list`.
  ///
  /// - Throws: `ValidationError` for an unknown command, with the most similar one.
  static func command(
    in arguments: [String], of root: any ParsableCommand.Type
  ) throws -> (type: any ParsableCommand.Type, words: [String]) {
    var (type, words): (any ParsableCommand.Type, [String]) = (root, [root._commandName])
    for argument in arguments {
      let commands = type.configuration.subcommands
      guard !argument.hasPrefix("-"), argument != "help", !commands.isEmpty else { break }
      // No command's name is a number. A number may be an argument of the default subcommand.
      if Int(argument) != nil, type.configuration.defaultSubcommand != nil { break }
      guard let next = commands.first(where: { $0._commandName == argument }) else {
        throw ValidationError(unknown(argument, after: words, of: commands.map { $0._commandName }))
      }
      type = next
      words = words + [argument]
    }
    return (type, words)
  }

  /// Returns the message for an unknown command, with a suggestion if a similar one exists.
  private static func unknown(
    _ word: String, after words: [String], of commands: [String]
  ) -> String {
    let given = (words.dropFirst() + [word]).joined(separator: " ")
    let meant = nearest(to: word, among: commands)
    return L10n.words("usage.noSuchCommand", ["given": given])
      + (meant.map { " " + L10n.words("usage.didYouMean", ["word": $0]) } ?? "")
  }

  /// Returns the word that differs least from a mistyped one, or `nil` if all of them differ too much.
  static func nearest(to word: String, among words: [String]) -> String? {
    let found = words.map { ($0, distance(Array(word), Array($0))) }.min { $0.1 < $1.1 }
    guard let (nearest, distance) = found, distance <= max(1, min(3, word.count / 2)) else {
      return nil
    }
    return nearest
  }

  /// Returns the number of letters to add, remove or replace (Levenshtein distance).
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var corner = row[0]
      var next = [index + 1]
      for (column, wanted) in other.enumerated() {
        next.append(
          min(row[column + 1] + 1, next[column] + 1, corner + (letter == wanted ? 0 : 1)))
        corner = row[column + 1]
      }
      row = next
    }
    return row[other.count]
  }

  /// Joins each negative number to the option before it: `--limit -1` becomes `--limit=-1`. Otherwise ArgumentParser
  /// would treat it as an option without a value.
  static func withNegativeNumbers(_ arguments: [String]) -> [String] {
    var joined: [String] = []
    for (index, argument) in arguments.enumerated() {
      if argument == "--" { return joined + arguments[index...] }
      if let option = joined.last, option.hasPrefix("--"), !option.contains("="),
        argument.prefix(2).wholeMatch(of: /-[0-9.]/) != nil
      {
        joined[joined.count - 1] = option + "=" + argument
      } else {
        joined.append(argument)
      }
    }
    return joined
  }

  /// Splits `--name=` into the option and an empty value, which is the form that ArgumentParser expects.
  static func withEmptyValues(
    _ arguments: [String], of type: any ParsableCommand.Type
  ) throws -> [String] {
    guard arguments.contains(where: { $0.hasSuffix("=") }) else { return arguments }
    let options = try CommandOutline(of: type.configuration.defaultSubcommand ?? type).options
    var parted: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" { return parted + [argument] + rest }
      let option = name(argument)
      if option.count > 2, option.hasPrefix("--"), argument == option + "=" {
        parted += [option, ""]
        continue
      }
      parted.append(argument)
      // Skips the value, because it may look like an option.
      if options[argument] != nil, let value = rest.popFirst() { parted.append(value) }
    }
    return parted
  }

  /// Rejects an option that is repeated although it takes one value. ArgumentParser would silently use the last.
  ///
  /// - Throws: `ValidationError`.
  static func refuseRepeats(in arguments: [String], of type: any ParsableCommand.Type) throws {
    let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map(name)
    guard Set(given).count < given.count else { return }
    let command = type.configuration.defaultSubcommand ?? type
    let options = try CommandOutline(of: command).options
    var seen: Set<String> = []
    var rest = arguments.prefix { $0 != "--" }[...]
    while let argument = rest.popFirst() {
      guard let option = options[name(argument)] else { continue }
      if !argument.contains("=") { _ = rest.popFirst() }
      guard seen.insert(name(argument)).inserted || option.isRepeating else {
        throw ValidationError(text: "usage.optionTwice", ["argument": name(argument)])
      }
    }
  }

  /// Returns the name of an option, without `=` and a value.
  private static func name(_ argument: String) -> String {
    String(argument.prefix { $0 != "=" })
  }
}

/// The arguments of a command, as ArgumentParser describes them for tools (`_dumpHelp`, its ToolInfoV0).
struct CommandOutline: Decodable {
  struct Command: Decodable {
    var arguments: [Argument]?
  }
  struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }
    var kind: String
    var isRepeating: Bool
    var names: [Name]?
  }
  var command: Command

  init(of type: any ParsableCommand.Type) throws {
    self = try JSONDecoder().decode(Self.self, from: Data(type._dumpHelp().utf8))
  }

  /// The options that take a value, by their long names including both dashes.
  var options: [String: Argument] {
    var found: [String: Argument] = [:]
    for argument in command.arguments ?? [] where argument.kind == "option" {
      for name in argument.names ?? [] where name.kind == "long" {
        found["--" + name.name] = argument
      }
    }
    return found
  }
}
