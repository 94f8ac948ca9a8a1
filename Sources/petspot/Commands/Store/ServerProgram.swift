package import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
package import PhotoIngestion
import ReportFlow
import SystemPackage

/// A command that is run by the server's program `petspot-server`: `serve` or `browse`.
package protocol ServerCommand: PetspotCommand, AsyncParsableCommand {
  /// Returns the line that is printed when the server starts to listen.
  func listening(at url: String) -> String
}

extension ServerCommand {
  /// Replaces this process with the server's program, which reads the same arguments. It is a separate program so that
  /// other commands start faster, without loading the server's libraries.
  package func run() async throws {
    // Pass the addresses in the environment, because every user of the machine can read the arguments.
    if let database = options.database { setenv(Stores.databaseVariable, database, 1) }
    if let blobs = options.blobs { setenv(Stores.blobsVariable, blobs, 1) }
    // Base64 photos use blocks of up to 32 MiB. After the first such block is freed, glibc raises its threshold and
    // allocates later ones in its heaps, which never shrink (about 90 MiB). These variables fix the threshold and are
    // read when the server starts.
    setenv("MALLOC_MMAP_THRESHOLD_", "1048576", 0)
    setenv("MALLOC_TRIM_THRESHOLD_", "1048576", 0)
    Interruption.unblockSignals()
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let server = URL(filePath: own).deletingLastPathComponent().appending(path: "petspot-server")
    _ = execv(server.path, Self.argumentsWithoutAddresses())
    throw Failure(
      .storage(operation: "start", path: server.path, errno: errno), about: FilePath(server.path))
  }

  /// Returns the arguments of this process without the addresses of stores.
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
  /// Throws if the server would decode photos of strangers without a complete sandbox.
  package func checkSandbox(of decoders: DecoderPool) throws {
    guard !allowWeakSandbox, let weakness = (try? decoders.report())?.weakness else { return }
    throw Failure(
      code: weakness.rawValue,
      message: L10n.words(
        "command.error.weakServer", ["fix": MachineProblem(decoder: weakness).fix]),
      exitCode: 69)
  }
}
