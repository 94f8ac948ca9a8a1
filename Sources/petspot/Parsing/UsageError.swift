import ArgumentParser
import Foundation
import PhotoAttachments

/// What ArgumentParser ends with: a help text, a completion script, a wrong usage (64), or the exit
/// code a command chose.
enum UsageError {
  /// Prints the message where it belongs and ends the process.
  static func exit(_ error: any Error, json: Bool) -> Never {
    let code = Petspot.exitCode(for: error)
    let message = Petspot.fullMessage(for: error)
    if code.isSuccess {
      Petspot.exit(withError: error)
    }
    if json, code == .validationFailure {
      let object: JSON = [
        "error": [
          "code": "usage", "message": .string(RawArguments.text(Petspot.message(for: error))),
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
