import ArgumentParser
import Foundation
import PhotoAttachments
import PhotoIngestion

/// A worker that does what only tests and `Scripts/faults` ask for, to see that its keeper and its sandbox
/// hold; one that just serves never comes here. It stands in no help and is called first thing in
/// `main`, before any thread starts.
struct DecodeWorker: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode-worker", abstract: "Decode photos from descriptor 3, caged.",
    shouldDisplay: false)

  /// Whether this process was started as such a worker.
  static var isCalled: Bool { CommandLine.arguments.dropFirst().first == "decode-worker" }

  @Option(help: "Bytes of address space.")
  var memory = DecoderLimits().memoryBytes

  @Flag(help: "Work on a kernel without Landlock or seccomp.")
  var allowWeakSandbox = false

  @Flag(help: "Split off workers.")
  var template = false

  @Flag(help: "Misbehave as a photo's last bytes say, for tests.")
  var obeyTrailers = false

  @Option(help: "Try to get out of the cage, for tests.")
  var attack: EscapeAttempt?

  @Option(help: "With --attack: the database to open.")
  var target = "/etc/hosts"

  @Flag(help: "With --attack: try what holds without the filter of system calls.")
  var withoutSeccomp = false

  func run() {
    if let attack {
      EscapeAttempt.run(attack, target: target, withoutSeccomp: withoutSeccomp)
    }
    var options = DecoderWorker.Options()
    options.memoryBytes = memory
    options.allowsWeakSandbox = allowWeakSandbox
    options.isTemplate = template
    options.obeysTrailers = obeyTrailers
    DecoderWorker.run(options)
  }

  /// Runs the worker from the process's arguments; never returns.
  static func serve() -> Never {
    main(Array(CommandLine.arguments.dropFirst(2)))
    Foundation.exit(70)
  }
}

extension EscapeAttempt: ExpressibleByArgument {}
