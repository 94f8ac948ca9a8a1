import ArgumentParser
import ReportFlow

/// The text in a command's help below its summary, in the reader's language.
enum HelpText {
  /// Returns paragraphs followed by example command lines.
  static func text(_ text: TextKey?, examples: String) -> String {
    let list = examples.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    return (text.map { L10n.words($0) + "\n\n" } ?? "") + L10n.words("help.heading.examples") + "\n"
      + list
  }

  /// Returns the help, or another non-error output that `error` represents, wrapped for the terminal.
  static func message(for error: any Error, of root: (some ParsableCommand).Type) -> String {
    let isPolish = L10n.words.language == .pl
    // Leave room for Polish words that are longer than ArgumentParser's English ones.
    let columns = max(40, Terminal.standardOutput().columns - (isPolish ? 2 : 0))
    let text = root.fullMessage(for: error, columns: columns)
    guard text.hasPrefix("OVERVIEW: ") else { return text }
    return wrapped(isPolish ? polish(text) : text, to: columns)
  }

  /// Breaks the usage line between options, which ArgumentParser doesn't wrap.
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

  /// Translates ArgumentParser's own words to Polish. The other texts are already translated.
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
