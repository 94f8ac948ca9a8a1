import ArgumentParser
import Foundation
import PetSpotStores
import PhotoIngestion

/// Reads the arguments, runs the command, and turns its error into a message and an exit code.
///
/// Not asynchronous: that would run on another thread, while signals have to be blocked here before any thread
/// starts. Commands that block run here too, and so keep no thread of the cooperative pool.
package enum PetspotMain {
  /// Runs the command that the arguments name, and ends the process.
  ///
  /// - Parameter serve: runs a `ServerCommand`, in the server's program; in the other one `nil`.
  package static func run(
    serving serve: (@Sendable (any ServerCommand) async throws -> Void)? = nil
  ) -> Never {
    let given = RawArguments.ofProcess()
    var (json, words) = (given.prefix { $0 != "--" }.contains("--json"), ["petspot"])
    // Known before the rest is read, so that errors in it are in this language, too.
    L10n.selectLanguage(from: given)
    do {
      try FileDescriptors.check()
      // A server handles signals itself.
      if serve == nil { Interruption.install() } else { try checkRelease() }
      let named = try ArgumentCheck.command(in: given, of: Petspot.self)
      words = named.words
      try ArgumentCheck.refuseRepeats(in: given, of: named.type)
      let full = try ArgumentCheck.withEmptyValues(given, of: named.type)
      let arguments = RawArguments.folded(ArgumentCheck.withNegativeNumbers(full))
      var command = try Petspot.parseAsRoot(arguments)
      if serve != nil, !(command is any ServerCommand) {
        throw Failure(
          code: "usage", message: "This program is started by: petspot serve", exitCode: 64)
      }
      if let options = (command as? any PetspotCommand)?.options {
        json = options.json
        // A server has checked the release already, and its log has a format of its own.
        if serve == nil {
          options.startLogging()
          // `doctor` reports another release beside all else.
          if !(command is Doctor) { try checkRelease() }
        }
      }
      guard let waiting = command as? any AsyncParsableCommand else {
        try command.run()
        leave(0)
      }
      let (printsJSON, commandWords) = (json, words)
      // Only the task uses it from here on.
      nonisolated(unsafe) var running = waiting
      // Detached: an ordinary task would be the main actor's, which this thread may never serve.
      Task.detached {
        do {
          if let serve, let command = running as? any ServerCommand {
            try await serve(command)
          } else {
            try await running.run()
          }
          leave(0)
        } catch {
          end(error, of: commandWords, json: printsJSON)
        }
      }
      // Not `dispatchMain()`, which lets the signals through again.
      while true { pause() }
    } catch {
      end(error, of: words, json: json)
    }
  }

  /// Throws if this program runs on another release of the system than it was built for.
  private static func checkRelease() throws {
    if let problem = SystemRelease.problem { throw Failure(problem) }
  }

  private static func end(_ error: any Error, of words: [String], json: Bool) -> Never {
    let code =
      switch error {
      case let failure as Failure: failure.report(json: json)
      case let error as StoreError: Failure(error).report(json: json)
      case let error as PhotoError: Failure(StoreError(error)).report(json: json)
      default: UsageError.report(error, of: Petspot.self, words: words, json: json)
      }
    leave(code)
  }

  /// Ends without what libraries do at the end of a process: other threads still use them. In
  /// OpenSSL's the memory of a thread that ends meanwhile is freed twice. What we print is not kept back
  /// by anybody (`Output`).
  private static func leave(_ code: Int32) -> Never { _exit(code) }
}
