package import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
package import PhotoIngestion
import ReportFlow
import SystemPackage

/// A command that the server's program runs.
package protocol ServerCommand: PetspotCommand, AsyncParsableCommand {
  /// The line that is printed once the server listens.
  func listening(at url: String) -> String
}

extension ServerCommand {
  /// Becomes the server's program, which reads the same arguments. Other commands start faster because only that
  /// program loads what serves.
  package func run() async throws {
    // Not among the arguments, which every user of the machine can read.
    if let database = options.database { setenv(Stores.databaseVariable, database, 1) }
    if let blobs = options.blobs { setenv(Stores.blobsVariable, blobs, 1) }
    // Photos in base64 come and go in blocks of up to 32 MiB. Once such a
    // block is freed, glibc takes later ones from its heaps, which keep what they grew to: about
    // 90 MiB for good. It reads these when the server begins.
    setenv("MALLOC_MMAP_THRESHOLD_", "1048576", 0)
    setenv("MALLOC_TRIM_THRESHOLD_", "1048576", 0)
    Interruption.unblockSignals()
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let server = URL(filePath: own).deletingLastPathComponent().appending(path: "petspot-server")
    _ = execv(server.path, Self.argumentsWithoutAddresses())
    throw Failure(
      .storage(operation: "start", path: server.path, errno: errno), about: FilePath(server.path))
  }

  /// The arguments of this process without the addresses of stores.
  private static func argumentsWithoutAddresses() -> [UnsafeMutablePointer<CChar>?] {
    var arguments: [UnsafeMutablePointer<CChar>?] = []
    var isAddress = false
    for index in 0..<Int(CommandLine.argc) {
      let argument = CommandLine.unsafeArgv[index]
      let text = argument.map { String(cString: $0) } ?? ""
      if isAddress {
        isAddress = false
      } else if ["--database", "--blobs"].contains(text) {
        isAddress = true
      } else if !text.hasPrefix("--database="), !text.hasPrefix("--blobs=") {
        arguments.append(argument)
      }
    }
    return arguments + [nil]
  }
}

extension GlobalOptions {
  /// Refuses to serve where photos of strangers would be decoded outside of a whole sandbox.
  package func checkSandbox(of decoders: DecoderPool) throws {
    guard !allowWeakSandbox, let weakness = (try? decoders.report())?.weakness else { return }
    throw Failure(
      code: weakness.rawValue,
      message: L10n.words(
        "command.error.weakServer", ["fix": MachineProblem(decoder: weakness).fix]),
      exitCode: 69)
  }
}
