import ArgumentParser
import Foundation
import PetSpotStores
import PhotoIngestion

/// The main program of `petspot` and `petspot-server`. It reads the arguments, runs the command, and turns its error
/// into a message and an exit code.
///
/// It is synchronous, because signals have to be blocked on this thread before any other thread starts. An asynchronous
/// function would run on another thread. Blocking commands run on this thread too, so they don't occupy a thread of the
/// cooperative pool.
package enum PetspotMain {
  /// Runs the command that the arguments name, and ends the process.
  ///
  /// - Parameter serve: runs a `ServerCommand`. `nil` in the program that is not the server.
  package static func runCommand(
    serving serve: (@Sendable (any ServerCommand) async throws -> Void)? = nil
  ) -> Never {
    let given = RawArguments.ofProcess()
    var json = given.prefix { $0 != "--" }.contains("--json")
    var words = ["petspot"]
    // Select the language first, so that errors in the other arguments use it too.
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
        // A server has already checked the release, and has its own log format.
        if serve == nil {
          options.startLogging()
          // `doctor` reports a wrong release together with its other findings.
          if !(command is Doctor) { try checkRelease() }
        }
      }
      guard let waiting = command as? any AsyncParsableCommand else {
        try command.run()
        leave(0)
      }
      let printsJSON = json
      let commandWords = words
      // Safe, because from here on only the task uses it.
      nonisolated(unsafe) var running = waiting
      // Detached, because an ordinary task would inherit the main actor, which this thread may never serve.
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
      // `dispatchMain()` can't be used, because it unblocks the signals.
      while true { pause() }
    } catch {
      end(error, of: words, json: json)
    }
  }

  /// Throws if this program runs on a different system release than it was built for.
  private static func checkRelease() throws {
    if let problem = SystemRelease.problem { throw Failure(problem) }
  }

  /// Reports the error and ends the process with its exit code.
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

  /// Ends the process without running exit handlers, because other threads still use the libraries. In OpenSSL, a
  /// thread that ends at the same time would free its memory twice. No output is lost, because `Output` doesn't buffer.
  private static func leave(_ code: Int32) -> Never { _exit(code) }
}
