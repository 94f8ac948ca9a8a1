import ArgumentParser
import ReportFlow

/// What stands in a command's help below its first line, in the reader's language.
enum HelpText {
  /// Paragraphs, and below them command lines to copy.
  static func text(_ text: TextKey?, examples: String) -> String {
    let list = examples.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    return (text.map { L10n.words($0) + "\n\n" } ?? "") + L10n.words("help.heading.examples") + "\n"
      + list
  }

  /// The help that `error` stands for, or another answer that is no error, as a terminal of this many
  /// columns shows it.
  static func message(for error: any Error, of root: (some ParsableCommand).Type) -> String {
    let isPolish = L10n.words.language == .pl
    // In Polish with room for words that are longer than ArgumentParser's.
    let columns = max(40, Terminal.standardOutput().columns - (isPolish ? 2 : 0))
    let text = root.fullMessage(for: error, columns: columns)
    guard text.hasPrefix("OVERVIEW: ") else { return text }
    return wrapped(isPolish ? polish(text) : text, to: columns)
  }

  /// The text with its line of syntax broken between options, which ArgumentParser leaves long.
  private static func wrapped(_ text: String, to columns: Int) -> String {
    let heading = L10n.words("help.heading.usage")
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.hasPrefix(heading), line.count > columns else { return String(line) }
      var lines = [""]
      for part in line.matches(of: /\[[^\]]*\]|\S+/).map({ String($0.output) }) {
        let isLong = lines[lines.count - 1].count + part.count + 1 > columns
        if isLong { lines.append("   ") }
        lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + part
      }
      return lines.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  /// ArgumentParser's own words in Polish; the texts around them are in it already.
  private static func polish(_ text: String) -> String {
    let words = [
      ("OVERVIEW: ", "OPIS: "), ("\nUSAGE: ", "\nSKŁADNIA: "), ("\nARGUMENTS:", "\nARGUMENTY:"),
      ("\nOPTIONS:", "\nOPCJE:"), (" SUBCOMMANDS:", ":"), ("\nSUBCOMMANDS:", "\nPOLECENIA:"),
      ("<options>", "<opcje>"), ("<subcommand>", "<polecenie>"),
      ("Show the version.", "Pokaż wersję."),
      ("Show help information.", "Pokaż tę pomoc."), ("default:", "domyślnie:"),
      ("(values: ", "(wartości: "),
      (" (default)", " (domyślnie)"),
      (" for detailed help.", ""), ("  See 'petspot", "  Szczegóły: 'petspot"),
    ]
    return words.reduce(text) { $0.replacing($1.0, with: $1.1) }
  }
}
