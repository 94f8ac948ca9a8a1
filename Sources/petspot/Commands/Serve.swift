import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import SystemPackage
import ReportFlow

extension LogFormat: ExpressibleByArgument {}

struct Serve: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.serve.abstract", "help.serve.discussion",
    examples: """
      petspot serve
      petspot serve --port 0 --json
      petspot serve --host 0.0.0.0 --base-url https://pets.example.org \\
        --tls-certificate chain.pem --tls-key key.pem
      """)

  @Option(help: .words("help.serve.host", "address"))
  var host = "127.0.0.1"

  @Option(help: .words("help.serve.port", "port"))
  var port = 8080

  @Option(help: .words("help.serve.baseURL", "url"))
  var baseURL: String?

  @Option(
    help: .words("help.serve.tlsCertificate", "file"), completion: .file(),
    transform: RawArguments.requiredText)
  var tlsCertificate: String?

  @Option(
    help: .words("help.serve.tlsKey", "file"), completion: .file(),
    transform: RawArguments.requiredText)
  var tlsKey: String?

  @Option(help: .words("help.serve.uploadLimit", "size"), transform: ByteSize.parse)
  var uploadLimit: Int?

  @Option(help: .words("help.serve.draftSpace", "size"), transform: ByteSize.parse)
  var draftSpace: Int?

  @Option(help: .words("help.serve.photoSpace", "size"), transform: ByteSize.parse)
  var photoSpace: Int?

  @Option(help: .words("help.serve.keepFree", "size"), transform: ByteSize.parse)
  var keepFree: Int?

  @Option(help: .words("help.serve.sizeSpace", "size"), transform: ByteSize.parse)
  var sizeSpace: Int?

  @Option(name: .customLong("trust-proxy"), help: .words("help.serve.trustProxy", "cidr"))
  var trustedProxies: [String] = []

  @Flag(help: .words("help.serve.interimResponses"))
  var interimResponses = false

  @Flag(help: .words("help.serve.noClientLimits"))
  var noClientLimits = false

  @Option(help: .words("help.serve.metricsPort", "port"))
  var metricsPort: Int?

  @Option(help: .words("help.serve.metricsHost", "address"))
  var metricsHost = "127.0.0.1"

  @Option(help: .words("help.serve.logFormat", "format"))
  var logFormat = LogFormat.text

  @Option(help: .words("help.serve.mail", "url"))
  var mail: String?

  @Option(
    help: .words("help.serve.mailPasswordFile", "file"), completion: .file(),
    transform: RawArguments.requiredText)
  var mailPasswordFile: String?

  @Option(help: .words("help.serve.operatorName", "name"))
  var operatorName: String?

  @Option(help: .words("help.serve.operatorContact", "address"))
  var operatorContact: String?

  @OptionGroup var options: GlobalOptions

  func validate() throws {
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

  private static func isNetwork(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    var (four, six) = (in_addr(), in6_addr())
    let bits =
      inet_pton(AF_INET, String(parts[0]), &four) == 1
      ? 32 : inet_pton(AF_INET6, String(parts[0]), &six) == 1 ? 128 : -1
    guard bits > 0, parts.count <= 2 else { return false }
    return parts.count == 1 || Int(parts[1]).map { (0...bits).contains($0) } ?? false
  }

  func run() async throws {
    try await ServerLaunch.begin(self, options, listening: "Listening on {url}", isLibrary: false)
  }
}

extension ServerLaunch {
  /// Refuses to serve where photos of strangers would be decoded outside of a whole sandbox.
  private static func checkSandbox(_ options: GlobalOptions) throws {
    guard !options.allowWeakSandbox,
      let weakness = (try? options.startDecoders()?.report())?.weakness
    else { return }
    throw Failure(
      code: weakness.rawValue,
      message: L10n.words(
        "command.error.weakServer", ["fix": MachineProblem(decoder: weakness).fix]),
      exitCode: 69)
  }

  /// Becomes the server's program, with the settings that a command's options name.
  static func begin(
    _ command: some ParsableArguments, _ options: GlobalOptions, listening: String, isLibrary: Bool
  ) async throws {
    let isCheck = ProcessInfo.processInfo.environment[ServerLaunch.checkVariable] != nil
    // The server found something wrong, which is reported here, as by every command.
    if isCheck {
      try checkSandbox(options)
      try await options.openStores(decoders: nil).photos.close()
    }
    let decoder =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let server = URL(filePath: decoder).deletingLastPathComponent()
      .appending(path: "petspot-server").path
    let launch = ServerLaunch(
      cache: options.cacheFolder.path, json: options.json, verbose: options.verbose,
      listening: listening, isLibrary: isLibrary, allowWeakSandbox: options.allowWeakSandbox,
      decoder: decoder, version: ProgramVersion.current,
      arguments: isCheck ? [] : CommandLine.arguments)
    let encoder = JSONEncoder()
    // Not among the arguments, which every user of the machine can read.
    if let database = options.database { setenv(Stores.databaseVariable, database, 1) }
    if let blobs = options.blobs { setenv(Stores.blobsVariable, blobs, 1) }
    Interruption.unblockSignals()
    // Photos in base64 come and go in blocks of up to 32 MiB. Once such a
    // block is freed, glibc takes later ones from its heaps, which keep what they grew to: about
    // 90 MiB for good. It reads these when the server begins.
    setenv("MALLOC_MMAP_THRESHOLD_", "1048576", 0)
    setenv("MALLOC_TRIM_THRESHOLD_", "1048576", 0)
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(server)]
    for data in [try encoder.encode(launch), try encoder.encode(GivenOptions(of: command))] {
      arguments.append(strdup(String(decoding: data, as: UTF8.self)))
    }
    _ = execv(server, arguments + [nil])
    throw Failure(
      .storage(operation: "start", path: server, errno: errno), about: FilePath(server))
  }
}
