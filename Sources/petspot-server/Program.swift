import CMalloc
import Foundation
import Logging
import Metrics
import PetSpotServer
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

/// The server's program. `petspot serve` has read the arguments, and is run again to report what is wrong with
/// the stores.
@main
enum Program {
  static func main() async {
    // A heap for each thread holds twice as much, most of it free.
    mallopt(M_ARENA_MAX, 2)
    // A file that may not grow is an error of the write (EFBIG), and the server lives on.
    signal(SIGXFSZ, SIG_IGN)
    guard CommandLine.arguments.count == 2,
      let settings = try? JSONDecoder().decode(
        ServerSettings.self, from: Data(CommandLine.arguments[1].utf8))
    else {
      fail("usage", "This program is started by: petspot serve", 64, json: false)
    }
    LoggingSystem.bootstrap { LogfmtHandler(label: $0, level: settings.verbose ? .debug : .info) }
    do {
      try await serve(settings)
      leave(0)
    } catch let error as ServerError {
      let (code, message) = report(of: error)
      fail(code, message, 69, json: settings.json)
    } catch {
      fail("server", "The server ended: \(error).", 70, json: settings.json)
    }
  }

  private static func serve(_ settings: ServerSettings) async throws {
    let configuration = configuration(settings)
    var policy = PhotoPolicy()
    policy.fileBytes = configuration.uploadLimit
    let folder = CacheFolder(path: settings.cache)
    let count = ServerConfiguration.decoders
    let decoders = DecoderPool(
      executable: settings.decoder, trust: .strangers, maxWorkers: count,
      ordinarySizes: ServerConfiguration.ordinarySizes, spares: 1,
      allowsWeakSandbox: settings.allowWeakSandbox,
      ledger: folder.crashes)
    decoders.warm()
    let stores = try opened(settings) {
      try Stores.open(
        folder, database: Stores.databaseAddress(), blobs: Stores.blobsAddress(), policy: policy,
        pool: WorkerPool(threadCount: count + 1), decoders: decoders, timeout: 10)
    }
    let logger = Logger(label: "petspot.server")
    let server = PetSpotServer(
      photos: stores.photos, drafts: stores.drafts, announcements: stores.announcements,
      species: TaxonomySource(
        named: ProcessInfo.processInfo.environment["PETSPOT_TAXONOMY"],
        copy: URL(filePath: folder.path + "/species.json"), logger: logger),
      uploads: stores.uploads?(configuration.uploads), configuration: configuration, logger: logger)
    let isJSON = settings.json
    try await server.run { url in
      let line = isJSON ? #"{"event":"listening","url":"\#(url)"}"# : "Listening on \(url)"
      FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
    try await stores.photos.close()
  }

  /// Opens the stores; where that fails, `petspot serve` takes this process and says why.
  private static func opened(
    _ settings: ServerSettings, _ open: () throws -> Stores
  ) throws -> Stores {
    do { return try open() } catch {
      guard !settings.arguments.isEmpty else { throw error }
      setenv(ServerSettings.checkVariable, "1", 1)
      var arguments = settings.arguments.map { strdup($0) } + [nil]
      execv(settings.decoder, &arguments)
      throw error
    }
  }

  private static func configuration(_ settings: ServerSettings) -> ServerConfiguration {
    var configuration = ServerConfiguration()
    (configuration.host, configuration.port) = (settings.host, settings.port)
    configuration.baseURL = settings.baseURL.flatMap(URL.init(string:))
    if let certificate = settings.tlsCertificate, let key = settings.tlsKey {
      configuration.tls = (certificate, key)
    }
    if let limit = settings.uploadLimit { configuration.uploadLimit = limit }
    if let bytes = settings.draftSpace { configuration.draftSpace = bytes }
    if let bytes = settings.photoSpace { configuration.photoSpace = bytes }
    configuration.keepFree = settings.keepFree
    if let bytes = settings.sizeSpace { configuration.sizeSpace = bytes }
    configuration.trustedProxies = settings.trustProxy.compactMap(Network.init)
    configuration.limitsClients = settings.limitsClients
    configuration.operatorName = settings.operatorName
    configuration.operatorContact = settings.operatorContact
    configuration.metricsPort = settings.metricsPort
    if settings.metricsPort != nil {
      let metrics = PrometheusMetrics()
      MetricsSystem.bootstrap(metrics)
      configuration.metrics = metrics
    }
    return configuration
  }

  private static func report(of error: ServerError) -> (code: String, message: String) {
    switch error {
    case .portTaken(let host, let port):
      (
        "port-taken",
        "Port \(port) of \(host) is in use by another program. Stop it, or choose another port with "
          + "--port."
      )
    case .listening(let host, let errno):
      (
        "listening",
        "\(host) cannot be listened on: \(String(cString: strerror(errno))). Choose another "
          + "address with --host."
      )
    case .certificate(let problem): ("certificate", problem.sentence)
    }
  }

  /// Tells what went wrong, for people and with `--json` for programs, and ends.
  private static func fail(
    _ code: String, _ message: String, _ exitCode: Int32, json: Bool
  ) -> Never {
    FileHandle.standardError.write(Data("petspot: \(message)\n".utf8))
    if json {
      struct Told: Encodable {
        struct Fault: Encodable { let code, message: String }
        let error: Fault
      }
      if let data = try? JSONEncoder().encode(Told(error: .init(code: code, message: message))) {
        FileHandle.standardOutput.write(data + Data("\n".utf8))
      }
    }
    leave(exitCode)
  }

  /// Ends without what libraries do at the end of a process, while other threads still use them.
  private static func leave(_ code: Int32) -> Never { _exit(code) }
}
