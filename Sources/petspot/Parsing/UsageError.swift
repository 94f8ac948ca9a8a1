import ArgumentParser
import Foundation
import PhotoAttachments
import PhotoIngestion

/// What ArgumentParser ends with: a help text, a completion script, a wrong usage (64), or the exit
/// code a command chose.
enum UsageError {
  /// Prints the message where it belongs and ends the process.
  ///
  /// - Parameter root: the command of which all others are a part.
  static func exit<Root: ParsableCommand>(
    _ error: any Error, of root: Root.Type, json: Bool
  ) -> Never {
    let code = Root.exitCode(for: error)
    let message = Root.fullMessage(for: error)
    if code.isSuccess {
      Root.exit(withError: error)
    }
    if json, code == .validationFailure {
      let object: JSON = [
        "error": [
          "code": "usage", "message": .string(RawArguments.text(Root.message(for: error))),
        ]
      ]
      try? Output.line(object.line)
    }
    if !message.isEmpty {
      // The arguments it quotes may hold anything; its own line breaks stay.
      let lines = message.split(separator: "\n", omittingEmptySubsequences: false)
      Output.note(
        lines.map { ReadableText.escaped(RawArguments.text(String($0))) }.joined(separator: "\n"))
    }
    Foundation.exit(code.rawValue)
  }
}
