import ArgumentParser
import Foundation
import Logging
import PetSpotStores
import PhotoAttachments
import SystemPackage
import PhotoIngestion
import ReportFlow

/// The options all commands share.
struct GlobalOptions: ParsableArguments {
  @Option(
    name: .customLong("cache"),
    help: ArgumentHelp(
      "Keep photos in this folder instead of the user's cache folder (or set PETSPOT_CACHE).",
      valueName: "dir"),
    completion: .directory, transform: RawArguments.requiredTextPath)
  var givenCache: FilePath?

  @OptionGroup var language: LanguageOptions

  @Flag(name: .long, help: "Print JSON for programs and nothing else.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print nothing for people but errors.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print details, and log to standard error.")
  var verbose = false

  @Flag(
    name: .customLong("allow-weak-sandbox"),
    help: ArgumentHelp(
      "Decode photos although this kernel cannot cage the decoders.", visibility: .hidden))
  var allowWeakSandbox = false

  @Flag(
    name: .customLong("decode-in-process"),
    help: ArgumentHelp(
      "Decode without a cage, to measure what it costs; for photos of your own.",
      visibility: .hidden))
  var decodesInProcess = false

  mutating func validate() throws {
    if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other.") }
  }

  /// The texts in the reader's language.
  var words: ReportFlow.Words { language.words }

  /// The cache folder: `--cache`, else `PETSPOT_CACHE`, else the user's (decision 10).
  var cacheFolder: CacheFolder {
    let named = getenv("PETSPOT_CACHE").flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
    let path = givenCache?.string ?? named
    return path.map { CacheFolder(path: $0) } ?? .standard()
  }

  /// Worker processes of this program; the first one gets ready while we do something else, unless
  /// it may never be needed. Nil to decode in this process.
  ///
  /// - Parameters:
  ///   - trust: a command is one person's, so that its photos are too, unless they are stored ones.
  ///   - most: how many decode at the same time, at most.
  ///   - spares: how many get ready before a photo needs them; one photo needs no second.
  func startDecoders(
    trust: DecoderTrust = .owner(photosPerWorker: 50), most: Int? = nil, spares: Int = 0,
    limits: DecoderLimits = .init(), warm: Bool = true
  ) -> DecoderPool? {
    if decodesInProcess { return nil }
    let decoders = DecoderPool(
      trust: trust, most: most, spares: spares, limits: limits,
      allowsWeakSandbox: allowWeakSandbox,
      ledger: CrashLedger(folder: FilePath(cacheFolder.path).appending("crashes")))
    if warm { decoders.warm() }
    return decoders
  }

  /// Prints the JSON with `--json`, else the text for people, unless they asked for quiet.
  func print(_ json: JSON, orText text: @autoclosure () -> String) throws(StoreError) {
    if self.json { return try Output.line(json.line) }
    guard !quiet else { return }
    let text = text()
    if !text.isEmpty { try Output.line(text) }
  }

  /// Sends the libraries' log to standard error; standard output belongs to the answer.
  func startLogging() {
    let level: Logger.Level = verbose ? .debug : quiet ? .error : .warning
    LoggingSystem.bootstrap { label in
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = level
      return handler
    }
  }
}

/// The option of commands that work on a draft.
struct DraftOptions: ParsableArguments {
  @Option(
    name: .customLong("draft"),
    help: ArgumentHelp("The report the photo belongs to.", valueName: "id"),
    transform: RawArguments.text)
  var id = "default"
}

extension RawArguments {
  /// The path an argument names, for `transform:`.
  static func requiredPath(_ argument: String) throws -> FilePath {
    guard let path = path(argument) else { throw ValidationError("A path cannot be empty.") }
    return path
  }

  /// The paths of an argument that `folded` may have made of several.
  static func requiredPaths(_ argument: String) throws -> [FilePath] {
    guard !argument.isEmpty else { return [try requiredPath(argument)] }
    return try argument.split(separator: "\0").map { try requiredPath(String($0)) }
  }

  /// A folder of ours: SQLite and Foundation take paths as text.
  static func requiredTextPath(_ argument: String) throws -> FilePath {
    let path = try requiredPath(argument)
    guard String(validating: path.bytes, as: UTF8.self) != nil else {
      throw ValidationError("The path of a folder has to be UTF-8.")
    }
    return path
  }
}

extension GlobalOptions {
  /// Opens the stores in the cache folder, see `Stores.open`.
  func openStores(
    pool: WorkerPool = WorkerPool(), decoders: DecoderPool? = DecoderPool(),
    patience: TimeInterval = 10
  ) throws(StoreError) -> Stores {
    try .open(cacheFolder, pool: pool, decoders: decoders, patience: patience)
  }
}

extension Stores {
  /// Keeps in a draft where its photo was taken, which step 3 offers; nil when the photo does not say
  /// or is gone. That it cannot be kept is no reason to refuse the photo: it is only logged.
  func keepPlace(of photo: AttachedPhoto?, draft: String) async {
    let logger = Logger(label: "petspot")
    do {
      let session = try await DraftSession(
        draft: draft, store: drafts, photos: photos, logger: logger)
      try await session.keepPlace(of: photo)
    } catch {
      logger.warning("place not kept", metadata: ["draft": "\(draft)", "error": "\(error)"])
    }
  }
}
