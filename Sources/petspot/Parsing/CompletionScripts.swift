import ArgumentParser
import Foundation

/// Completion scripts as ArgumentParser makes them, in which a command with a default subcommand also
/// offers that one's options: `petspot report --dr` becomes `petspot report --draft`.
enum CompletionScripts {
  /// Commands with a default subcommand.
  private static let defaults = [("report", "talk"), ("announcements", "list")]

  /// The script that these arguments ask for; nil when they ask for none, or for an unknown shell.
  static func asked(
    by arguments: [String], of root: (some ParsableCommand).Type
  ) -> String? {
    guard let first = arguments.first else { return nil }
    let option = "--generate-completion-script"
    let name =
      first == option
      ? arguments.dropFirst().first
      : first.hasPrefix(option + "=") ? String(first.dropFirst(option.count + 1)) : nil
    guard let shell = name.flatMap({ CompletionShell(rawValue: $0) }) else { return nil }
    return script(for: shell, of: root)
  }

  static func script(
    for shell: CompletionShell, of root: (some ParsableCommand).Type
  ) -> String {
    defaults.reduce(root.completionScript(for: shell)) { script, names in
      switch shell {
      case .bash: bash(script, names.0, names.1)
      case .zsh: zsh(script, names.0, names.1)
      default: fish(script, names.0, names.1)
      }
    }
  }

  /// Gives the function of `parent` the options of `child`, and the values of these.
  private static func bash(_ script: String, _ parent: String, _ child: String) -> String {
    guard let own = function(parent, in: script),
      let other = function(child, of: parent, in: script)
    else { return script }
    let (text, source) = (script[own], script[other])
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    var merged = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let name = line.prefix { $0 != "=" }
      guard name.contains("repeating_") else { return String(line) }
      return lines.first { $0.hasPrefix(name + "=") }.map(String.init) ?? String(line)
    }.joined(separator: "\n")
    if let begin = source.range(of: "    # Offer option value completions"),
      let end = source.range(of: "    esac\n", range: begin.lowerBound..<source.endIndex),
      let place = merged.range(of: "    # Offer subcommand / subcommand")
    {
      merged.insert(
        contentsOf: source[begin.lowerBound..<end.upperBound] + "\n", at: place.lowerBound)
    }
    return script.replacingCharacters(in: own, with: merged)
  }

  private static func zsh(_ script: String, _ parent: String, _ child: String) -> String {
    guard let own = function(parent, in: script),
      let other = function(child, of: parent, in: script)
    else { return script }
    let lines = script[other].split(separator: "\n")
    let options = lines.filter {
      $0.hasPrefix("        '") && !$0.contains("--version[") && !$0.contains("-h,--help")
    }
    // The values that the options name.
    let values = lines.filter { $0.hasPrefix("    local -ar ___") }
    let specs = "    local -ar arg_specs=(\n"
    let merged = script[own].replacing(
      specs,
      with: (values + [Substring(specs.dropLast())] + options).joined(separator: "\n") + "\n",
      maxReplacements: 1)
    return script.replacingCharacters(in: own, with: String(merged))
  }

  private static func fish(_ script: String, _ parent: String, _ child: String) -> String {
    let names = "\"petspot \(parent) \(child)\""
    let copies = script.split(separator: "\n")
      .filter { $0.contains("flags_or_options " + names) && !$0.contains("-l 'help'") }
      .filter { !$0.contains("-l 'version'") }
      .map { $0.replacing(names, with: "\"petspot \(parent)\"") }
    return script + "\n" + copies.joined(separator: "\n") + "\n"
  }

  /// The function that completes a command.
  private static func function(
    _ name: String, of parent: String? = nil, in script: String
  ) -> Range<String.Index>? {
    let words = ["_petspot", parent, name].compactMap { $0 }.joined(separator: "_")
    guard let begin = script.range(of: "\n\(words)() {\n"),
      let end = script.range(of: "\n}\n", range: begin.upperBound..<script.endIndex)
    else { return nil }
    return begin.lowerBound..<end.upperBound
  }
}
