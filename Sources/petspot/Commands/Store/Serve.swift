package import ArgumentParser
import Foundation
import PetSpotStores
package import PhotoIngestion
package import PhotoModel

extension LogFormat: ExpressibleByArgument {}

/// `petspot serve`: runs the server for reports and announcements.
package struct Serve: ServerCommand {
  package static let configuration = CommandConfiguration(
    "help.serve.abstract", "help.serve.discussion",
    examples: """
      petspot serve
      petspot serve --port 0 --json
      petspot serve --host 0.0.0.0 --base-url https://pets.example.org \\
        --tls-certificate chain.pem --tls-key key.pem
      """)

  @Option(help: .words("help.serve.host", "address"))
  package var host = "127.0.0.1"

  @Option(help: .words("help.serve.port", "port"))
  package var port = 8080

  @Option(help: .words("help.serve.baseURL", "url"))
  package var baseURL: String?

  @Option(
    help: .words("help.serve.tlsCertificate", "file"), completion: .file(),
    transform: RawArguments.requiredText)
  package var tlsCertificate: String?

  @Option(
    help: .words("help.serve.tlsKey", "file"), completion: .file(),
    transform: RawArguments.requiredText)
  package var tlsKey: String?

  @Option(help: .words("help.serve.uploadLimit", "size"), transform: ByteSize.parse)
  package var uploadLimit: Int?

  @Option(help: .words("help.serve.draftSpace", "size"), transform: ByteSize.parse)
  package var draftSpace: Int?

  @Option(help: .words("help.serve.photoSpace", "size"), transform: ByteSize.parse)
  package var photoSpace: Int?

  @Option(help: .words("help.serve.keepFree", "size"), transform: ByteSize.parse)
  package var keepFree: Int?

  @Option(help: .words("help.serve.sizeSpace", "size"), transform: ByteSize.parse)
  package var sizeSpace: Int?

  @Option(name: .customLong("trust-proxy"), help: .words("help.serve.trustProxy", "cidr"))
  package var trustedProxies: [String] = []

  @Flag(help: .words("help.serve.interimResponses"))
  package var interimResponses = false

  @Flag(help: .words("help.serve.noClientLimits"))
  package var noClientLimits = false

  @Option(help: .words("help.serve.metricsPort", "port"))
  package var metricsPort: Int?

  @Option(help: .words("help.serve.metricsHost", "address"))
  package var metricsHost = "127.0.0.1"

  @Option(help: .words("help.serve.logFormat", "format"))
  package var logFormat = LogFormat.text

  @Option(help: .words("help.serve.mail", "url"))
  package var mail: String?

  @Option(
    help: .words("help.serve.mailPasswordFile", "file"), completion: .file(),
    transform: RawArguments.requiredText)
  package var mailPasswordFile: String?

  @Option(help: .words("help.serve.operatorName", "name"))
  package var operatorName: String?

  @Option(help: .words("help.serve.operatorContact", "address"))
  package var operatorContact: String?

  @OptionGroup package var options: GlobalOptions

  /// The language that `--lang` names.
  package var language: Language? { options.language.given }

  package init() {}

  package func validate() throws {
    if let operatorContact {
      let isMail = operatorContact.wholeMatch(of: /[^@\s]+@[^@\s]+\.[^@\s]+/) != nil
      let url = URL(string: operatorContact)
      guard isMail || ["http", "https"].contains(url?.scheme ?? "") && url?.host() != nil else {
        throw ValidationError(text: "usage.notAContact")
      }
    }

    if let mail, !Stores.isMailAddress(mail) {
      throw ValidationError(text: "usage.notAMailServer")
    }
    for port in [port, metricsPort].compactMap(\.self) where !(0...65_535).contains(port) {
      throw ValidationError(text: "usage.notAPort")
    }
    if let baseURL {
      let url = URL(string: baseURL)
      guard let scheme = url?.scheme, ["http", "https"].contains(scheme), url?.host() != nil,
        url?.query() == nil
      else {
        throw ValidationError(text: "usage.notABaseURL")
      }
      guard let path = url?.path(), ["", "/"].contains(path) else {
        throw ValidationError(text: "usage.baseURLPath", ["path": url?.path() ?? ""])
      }
    }
    if (tlsCertificate == nil) != (tlsKey == nil) {
      throw ValidationError(
        text: "usage.optionsTogether", ["one": "--tls-certificate", "other": "--tls-key"])
    }
    for network in trustedProxies where !Self.isNetwork(network) {
      throw ValidationError(text: "usage.notANetwork", ["network": network])
    }
  }

  /// Returns `true` for an IP address or a network in CIDR notation.
  private static func isNetwork(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    var four = in_addr()
    var six = in6_addr()
    let bits =
      inet_pton(AF_INET, String(parts[0]), &four) == 1
      ? 32 : inet_pton(AF_INET6, String(parts[0]), &six) == 1 ? 128 : -1
    guard bits > 0, parts.count <= 2 else { return false }
    return parts.count == 1 || Int(parts[1]).map { (0...bits).contains($0) } ?? false
  }

  /// Returns the line that is printed when the server starts to listen.
  package func listening(at url: String) -> String { "Listening on \(url)" }
}
