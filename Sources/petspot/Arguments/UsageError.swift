import ArgumentParser
import Foundation
import PhotoIngestion
import ReportFlow

/// What ArgumentParser ends with: a help text, a completion script, a wrong usage (64), or the exit
/// code a command chose.
enum UsageError {
  /// Prints the message where it belongs, an error in one line.
  ///
  /// - Parameters:
  ///   - root: the command of which all others are a part.
  ///   - words: the command's words, for the way to its help.
  ///   - json: whether programs hear of an error too.
  /// - Returns: the code to end with.
  static func report<Root: ParsableCommand>(
    _ error: any Error, of root: Root.Type, words: [String], json: Bool
  ) -> Int32 {
    let code = Root.exitCode(for: error)
    // A command that has said what there was to say.
    if error is ExitCode { return code.rawValue }
    if code.isSuccess {
      let text = HelpText.message(for: error, of: root)
      // Asked for the version, ArgumentParser returns only that.
      try? Output.line(text == ProgramVersion.current ? version(json: json) : text)
      return code.rawValue
    }
    let isUsage = code == .validationFailure
    // The arguments it quotes may hold anything.
    let lines = RawArguments.text(Root.message(for: error)).split(whereSeparator: \.isNewline)
    let text = lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
    guard isUsage else {
      let what = ReadableText.escaped(text)
      return Failure(
        code: "fault",
        message: L10n.words(
          "command.error.fault", ["file": L10n.words("command.error.thePhoto"), "what": what]),
        exitCode: 70, facts: ["what": .string(what)]
      ).report(json: json)
    }
    var sentence = ReadableText.escaped(translated(text))
    if let end = sentence.last, !".?!".contains(end) { sentence += "." }
    let help = words.joined(separator: " ") + " --help"
    sentence += L10n.words("usage.seeHelp", ["help": help])
    return Failure(code: "usage", message: sentence, exitCode: code.rawValue).report(
      json: json)
  }

  /// What `--version` prints; only this asks the libraries.
  private static func version(json: Bool) -> String {
    let version = ProgramVersion(decoders: .current())
    return json ? version.json.line : version.lines.joined(separator: "\n")
  }

  /// ArgumentParser's own sentences in the reader's language; all others are in it already.
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
