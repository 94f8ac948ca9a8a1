import CMalloc
import Foundation
import Logging
import Metrics
import PetSpotServer
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// The server's program. `petspot serve` has read the arguments, and is run again to report what is wrong with
/// the stores.
@main
enum Program {
  static func main() async {
    // A heap for each thread holds twice as much, most of it free.
    mallopt(M_ARENA_MAX, 2)
    // A file that may not grow is an error of the write (EFBIG), and the server lives on.
    signal(SIGXFSZ, SIG_IGN)
    DescriptorShares.raiseLimit()
    if let other = SystemRelease.problem {
      fail(OtherRelease.code, other.message(in: .ofProcess), 69, json: false)
    }
    guard CommandLine.arguments.count == 3,
      let launch = try? JSONDecoder().decode(
        ServerLaunch.self, from: Data(CommandLine.arguments[1].utf8)),
      var configuration = try? ServerConfiguration(settings: Data(CommandLine.arguments[2].utf8))
    else {
      fail("usage", "This program is started by: petspot serve", 64, json: false)
    }
    if launch.isLibrary {
      configuration.librarySecret = (0..<2).map { _ in
        String(format: "%016lx", UInt64.random(in: .min ... .max))
      }.joined()
    }
    let level: Logger.Level = launch.verbose ? .debug : launch.isLibrary ? .error : .info
    let format = configuration.logFormat
    LoggingSystem.bootstrap {
      LineLogHandler(
        label: $0, level: level, format: format)
    }
    let logger = Logger(label: "petspot.server")
    logger.info(
      "starting",
      metadata: [
        "version": "\(launch.version)",
        "database": "\(Stores.shownDatabase() ?? launch.cache)",
        "pictures": "\(Stores.shownBlobs() ?? launch.cache)",
      ])
    do {
      try await serve(configuration, launch, logger)
      logger.info("stopped")
      leave(0)
    } catch let error as ServerError {
      logger.error("stopped", metadata: ["error": "\(error.code)"])
      fail(error.code, error.localizedDescription, 69, json: launch.json)
    } catch let error as PasswordFileError {
      logger.error("stopped", metadata: ["error": "mail-password"])
      fail("mail-password", error.localizedDescription, 66, json: launch.json)
    } catch StoreError.database(.replaced, let place) {
      logger.error("stopped", metadata: ["error": "database replaced"])
      fail(
        "database",
        """
        \(place) was moved or deleted, or another file took its place, while it was in use. Nothing more is \
        read or written; see what happened to the folder, and start again.
        """, 74, json: launch.json)
    } catch {
      logger.error("stopped", metadata: ["error": "\(error)"])
      let facts = (error as? StoreError)?.facts
      fail(
        facts?.code ?? "server", "The server ended: \(error).", facts?.exitCode ?? 70,
        json: launch.json
      )
    }
  }

  private static func serve(
    _ configuration: ServerConfiguration, _ launch: ServerLaunch, _ logger: Logger
  ) async throws {
    var policy = PhotoPolicy()
    policy.fileBytes = configuration.uploadLimit
    let folder = CacheFolder(path: launch.cache)
    let count = ServerConfiguration.decoders
    let decoders = DecoderPool(
      executable: launch.decoder, trust: .strangers, maxWorkers: count, spares: 1,
      allowsWeakSandbox: launch.allowWeakSandbox, ledger: folder.crashes)
    decoders.warm()
    let stores = try opened(launch) {
      if !launch.allowWeakSandbox, let weakness = (try? decoders.report())?.weakness {
        throw PhotoError.fault(weakness)
      }
      return try Stores.open(
        folder, database: Stores.databaseAddress(), blobs: Stores.blobsAddress(), policy: policy,
        pool: WorkerPool(threadCount: count + 2), decoders: decoders, timeout: 10)
    }
    let metrics = configuration.metricsPort.map { _ in PrometheusMetrics() }
    if let metrics { MetricsSystem.bootstrap(metrics) }
    let mailer = try configuration.mail.flatMap {
      try Stores.mailer($0, passwordFile: configuration.mailPasswordFile)
    }
    let server = PetSpotServer(
      photos: stores.photos, drafts: stores.drafts, announcements: stores.announcements,
      species: TaxonomySource(
        named: ProcessInfo.processInfo.environment["PETSPOT_TAXONOMY"],
        copy: URL(filePath: folder.path + "/species.json"), logger: logger),
      uploads: stores.uploads, configuration: configuration,
      metrics: metrics, mailer: mailer, version: launch.version, logger: logger)
    let path = configuration.librarySecret.map { "/\($0)/" } ?? ""
    try await server.run { base in
      let url = base + path
      let line =
        launch.json
        ? #"{"event":"listening","url":"\#(url)"}"#
        : launch.listening.replacing("{url}", with: url)
      FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
    try await stores.photos.close()
  }

  /// Opens the stores, once decoders have shown their sandbox; where that fails, `petspot serve` takes this
  /// process and says why.
  private static func opened(
    _ launch: ServerLaunch, _ open: () throws -> Stores
  ) throws -> Stores {
    do { return try open() } catch {
      guard !launch.arguments.isEmpty else { throw error }
      setenv(ServerLaunch.checkVariable, "1", 1)
      var arguments = launch.arguments.map { strdup($0) } + [nil]
      execv(launch.decoder, &arguments)
      throw error
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
