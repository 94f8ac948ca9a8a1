import Announcements
import AnnouncementsHTTP
import ArgumentParser
import Foundation
import Logging
import ReportFlow

/// The option of commands that work on the announcements of a server or of this machine.
struct ServerOptions: ParsableArguments {
  @Option(
    name: .customLong("server"), help: .words("help.option.server", "url"), transform: Self.parse)
  var given: ServerAddress?

  func validate() throws { _ = try address }

  /// The server: `--server`, else `PETSPOT_SERVER`. `nil` means this machine.
  var address: ServerAddress? {
    get throws {
      if let given { return given }
      let named = getenv("PETSPOT_SERVER").map { String(cString: $0) }
      return try named.flatMap { $0.isEmpty ? nil : $0 }.map(Self.parse)
    }
  }

  /// Parses the address of a server. Throws if it is malformed.
  private static func parse(_ argument: String) throws -> ServerAddress {
    guard let address = ServerAddress(argument) else {
      throw ValidationError(text: "usage.notAServerAddress")
    }
    return address
  }

  /// Returns the announcements of the server, or `nil` if this machine's are used.
  ///
  /// - Parameter cache: the folder in which unfinished uploads are recorded. `nil` if nothing is uploaded.
  func repository(cache: String?) throws -> (any AnnouncementRepositoryProtocol)? {
    guard let address = try address else { return nil }
    let logger = Logger(label: "petspot")
    if !address.isPrivate {
      logger.warning("connection isn't encrypted", metadata: ["server": "\(address)"])
    }
    return HTTPAnnouncementRepository(
      address, uploads: cache.map { URL(filePath: $0 + "/sent-uploads.json") }, logger: logger)
  }
}
