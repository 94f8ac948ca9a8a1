import ArgumentParser
import Foundation
import PhotoIngestion
import ReportFlow

/// Output of the errors that ArgumentParser throws: a help text, a completion script, wrong usage (64), or the exit
/// code that a command chose.
enum UsageError {
  /// Prints the message to standard output or standard error. An error takes one line.
  ///
  /// - Parameters:
  ///   - root: the command that contains all others.
  ///   - words: the names that lead to the command, for the hint about its help.
  ///   - json: `true` if an error is also printed as JSON.
  /// - Returns: the exit code.
  static func report<Root: ParsableCommand>(
    _ error: any Error, of root: Root.Type, words: [String], json: Bool
  ) -> Int32 {
    let code = Root.exitCode(for: error)
    // A command that throws `ExitCode` has already printed its message.
    if error is ExitCode { return code.rawValue }
    if code.isSuccess {
      let text = HelpText.message(for: error, of: root)
      // For `--version`, ArgumentParser returns only the version string.
      try? Output.line(text == ProgramVersion.current ? version(json: json) : text)
      return code.rawValue
    }
    let isUsage = code == .validationFailure
    // Quoted arguments may contain anything.
    let lines = RawArguments.text(Root.message(for: error)).split(whereSeparator: \.isNewline)
    let text = lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
    guard isUsage else {
      let what = ReadableText.escaped(text)
      return Failure(
        code: "fault",
        message: L10n.words(
          "command.error.fault", ["file": L10n.words("command.error.thePhoto"), "what": what]),
        exitCode: 70, facts: ["what": what]
      ).report(json: json)
    }
    var sentence = ReadableText.escaped(translated(text))
    if let end = sentence.last, !".?!".contains(end) { sentence += "." }
    let help = words.joined(separator: " ") + " --help"
    sentence += L10n.words("usage.seeHelp", ["help": help])
    return Failure(code: "usage", message: sentence, exitCode: code.rawValue).report(
      json: json)
  }

  /// Returns the output of `--version`. Library versions are queried only for this.
  private static func version(json: Bool) -> String {
    let version = ProgramVersion(decoders: .current())
    return json ? version.json.line : version.lines.joined(separator: "\n")
  }

  /// Translates ArgumentParser's own messages. All other messages are already in the reader's language.
  private static func translated(_ text: String) -> String {
    guard L10n.words.language == .pl else { return text }
    return text.replacing(/Unknown option ('[^']*')\.?/) { "Nieznana opcja \($0.1)." }
      .replacing(/Did you mean ('[^']*')\?/) { "Czy chodziło o \($0.1)?" }
      .replacing(/Missing value for ('[^']*')/) { "Brak wartości opcji \($0.1)" }
      .replacing(/The value ('[^']*') is invalid for ('[^']*')/) {
        "Wartość \($0.1) jest nieprawidłowa dla \($0.2)"
      }
      .replacing(/Missing expected argument ('[^']*')/) { "Brak argumentu \($0.1)" }
      .replacing(/^Unexpected argument ('.*')/) { "Nieoczekiwany argument \($0.1)" }
      .replacing(/^[0-9]+ unexpected arguments: ('.*')/) { "Nieoczekiwane argumenty: \($0.1)" }
      .replacing("Please provide one of", with: "Dozwolone są")
      .replacing(/The option ('[^']*') does not take any value, but ('.*') was specified/) {
        "Opcja \($0.1) nie przyjmuje wartości, a podano \($0.2)"
      }
  }
}
