import CMalloc
import Foundation
import Logging
import Metrics
import PetSpotServer
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import petspot

/// The server's program. `petspot serve` and `petspot browse` replace themselves with it.
@main
enum Program {
  static func main() {
    // Limits glibc to two heaps. By default, it creates more for threads. That doubles the memory, most of it unused.
    mallopt(M_ARENA_MAX, 2)
    // Without SIGXFSZ, a file at its size limit makes the write fail (EFBIG), and the server continues.
    signal(SIGXFSZ, SIG_IGN)
    DescriptorShares.raiseLimit()
    PetspotMain.runCommand { try await serve($0) }
  }

  private static func serve(_ command: any ServerCommand) async throws {
    let options = command.options
    let configuration =
      try (command as? Serve).map(ServerConfiguration.init)
      ?? ServerConfiguration(libraryPort: (command as? Browse)?.port ?? 0)
    let isLibrary = configuration.librarySecret != nil
    let level: Logger.Level = options.verbose ? .debug : isLibrary ? .error : .info
    LoggingSystem.bootstrap {
      LineLogHandler(label: $0, level: level, format: configuration.logFormat)
    }
    let logger = Logger(label: "petspot.server")
    let folder = options.cacheFolder
    logger.info(
      "starting",
      metadata: [
        "version": "\(programVersion)",
        "database": "\(Stores.shownDatabase() ?? folder.path)",
        "pictures": "\(Stores.shownBlobs() ?? folder.path)",
      ])
    let stores = try open(options, configuration)
    do {
      try await serve(command, configuration, stores, logger)
      logger.info("stopped")
    } catch {
      throw failure(error, logger)
    }
  }

  /// Opens the stores after checking the sandbox of the decoders.
  private static func open(
    _ options: GlobalOptions, _ configuration: ServerConfiguration
  ) throws -> Stores {
    var policy = PhotoPolicy()
    policy.fileBytes = configuration.uploadLimit
    let count = ServerConfiguration.decoders
    // Workers run the program `petspot`, because it doesn't load the server's libraries.
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let decoder = URL(filePath: own).deletingLastPathComponent().appending(path: "petspot")
    let decoders = DecoderPool(
      executable: decoder.path, trust: .strangers, maxWorkers: count, spares: 1,
      allowsWeakSandbox: options.allowWeakSandbox, ledger: options.cacheFolder.crashes)
    decoders.warm()
    try options.checkSandbox(of: decoders)
    return try Stores.open(
      options.cacheFolder, database: Stores.databaseAddress(), blobs: Stores.blobsAddress(),
      policy: policy, pool: WorkerPool(threadCount: count + 2), decoding: .sandboxed(decoders),
      timeout: 10)
  }

  private static func serve(
    _ command: any ServerCommand, _ configuration: ServerConfiguration, _ stores: Stores,
    _ logger: Logger
  ) async throws {
    let options = command.options
    let metrics = configuration.metricsPort.map { _ in PrometheusMetrics() }
    if let metrics { MetricsSystem.bootstrap(metrics) }
    let mailer = try configuration.mail.flatMap {
      try Stores.mailer($0, passwordFile: configuration.mailPasswordFile)
    }
    let server = PetSpotServer(
      photos: stores.photos, drafts: stores.drafts, announcements: stores.announcements,
      species: TaxonomySource(
        named: ProcessInfo.processInfo.environment["PETSPOT_TAXONOMY"],
        copy: URL(filePath: options.cacheFolder.path + "/species.json"), logger: logger),
      uploads: stores.uploads, configuration: configuration,
      metrics: metrics, mailer: mailer, version: programVersion, logger: logger)
    let path = configuration.librarySecret.map { "/\($0)/" } ?? ""
    let json = options.json
    let listening = command.listening(at: "{url}")
    try await server.run { base in
      let url = base + path
      let line =
        json
        ? #"{"event":"listening","url":"\#(url)"}"# : listening.replacing("{url}", with: url)
      FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
    try await stores.photos.close()
  }

  /// Logs why the server ended, and returns the failure that its command reports.
  private static func failure(_ error: any Error, _ logger: Logger) -> Failure {
    let reason: String
    let failure: Failure
    switch error {
    case let error as ServerError:
      reason = error.code
      failure = .init(code: reason, message: error.localizedDescription, exitCode: 69)
    case let error as PasswordFileError:
      reason = "mail-password"
      failure = .init(code: reason, message: error.localizedDescription, exitCode: 66)
    case StoreError.database(.replaced, let place):
      reason = "database replaced"
      failure = .init(
        code: "database",
        message: """
          \(place) was moved or deleted, or another file took its place, while it was in use. Nothing more is \
          read or written; see what happened to the folder, and start again.
          """, exitCode: 74)
    default:
      reason = "\(error)"
      let known = error as? StoreError
      failure = .init(
        code: known?.code ?? "server", message: "The server ended: \(error).",
        exitCode: known?.exitCode ?? 70)
    }
    logger.error("stopped", metadata: ["error": "\(reason)"])
    return failure
  }
}

extension ServerConfiguration {
  /// Creates the settings that were given to `petspot serve`. The others keep their defaults.
  fileprivate init(_ command: Serve) throws {
    self.init()
    host = command.host
    port = command.port
    baseURL = command.baseURL.flatMap { URL(string: $0) }
    tlsCertificate = command.tlsCertificate
    tlsKey = command.tlsKey
    uploadLimit = command.uploadLimit ?? uploadLimit
    draftSpace = command.draftSpace ?? draftSpace
    photoSpace = command.photoSpace ?? photoSpace
    keepFree = command.keepFree
    sizeSpace = command.sizeSpace ?? sizeSpace
    trustedProxies = try command.trustedProxies.map { text in
      guard let network = CIDRBlock(text) else {
        throw Failure(code: "usage", message: "\(text) isn't a network.", exitCode: 64)
      }
      return network
    }
    interimResponses = command.interimResponses
    limitsClients = !command.noClientLimits
    language = command.language ?? language
    operatorName = command.operatorName
    operatorContact = command.operatorContact
    metricsPort = command.metricsPort
    metricsHost = command.metricsHost
    mail = command.mail
    mailPasswordFile = command.mailPasswordFile
    logFormat = command.logFormat
  }

  /// Creates the settings of `petspot browse`. Only people who know the secret address can see the library.
  fileprivate init(libraryPort: Int) {
    self.init()
    port = libraryPort
    librarySecret = (0..<2).map { _ in
      String(format: "%016lx", UInt64.random(in: .min ... .max))
    }.joined()
  }
}
