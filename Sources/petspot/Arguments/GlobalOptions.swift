package import ArgumentParser
import Foundation
import Logging
import PetSpotStores
package import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

/// The options that all commands share.
package struct GlobalOptions: ParsableArguments {
  @Option(
    name: .customLong("cache"), help: .words("help.option.cache", "dir"), completion: .directory,
    transform: RawArguments.requiredTextPath)
  var givenCache: FilePath?

  @Option(
    name: .customLong("database"), help: .words("help.option.database", "url"),
    transform: RawArguments.text)
  var givenDatabase: String?

  @Option(
    name: .customLong("blobs"), help: .words("help.option.blobs", "url"),
    transform: RawArguments.text)
  var givenBlobs: String?

  @OptionGroup var language: LanguageOptions

  @Flag(name: .long, help: .words("help.option.json"))
  package var json = false

  @Flag(name: .shortAndLong, help: .words("help.option.quiet"))
  var quiet = false

  @Flag(name: .shortAndLong, help: .words("help.option.verbose"))
  package var verbose = false

  @Flag(
    help: ArgumentHelp(
      "Decode photos although this kernel cannot cage the decoders.", visibility: .hidden))
  package var allowWeakSandbox = false

  @Flag(
    name: .customLong("decode-in-process"),
    help: ArgumentHelp(
      "Decode without a cage, to measure what it costs; for photos of your own.",
      visibility: .hidden))
  var decodesInProcess = false

  package init() {}

  package mutating func validate() throws {
    try ValidationError.rejectBoth("--quiet", quiet, "--verbose", verbose)
    if let database { try Self.check(database: database) }
    if let blobs, let problem = Stores.problem(ofBlobsAddress: blobs) {
      throw ValidationError(problem)
    }
  }

  /// Throws unless the text has the form of a database's address.
  static func check(database text: String) throws {
    // The message doesn't repeat the address, because it may contain a password.
    guard Stores.isDatabaseAddress(text) else {
      throw ValidationError(text: "usage.notADatabaseAddress")
    }
  }

  /// The address of the records' database: `--database`, else `PETSPOT_DATABASE`. `nil` means the cache folder.
  var database: String? { Stores.databaseAddress(given: givenDatabase) }

  /// The address of the pictures' store: `--blobs`, else `PETSPOT_BLOBS`. `nil` means the cache folder.
  var blobs: String? { Stores.blobsAddress(given: givenBlobs) }

  /// The cache folder: `--cache`, else `PETSPOT_CACHE`, else the user's default (decision 10).
  package var cacheFolder: CacheFolder { namedCache.map { CacheFolder(path: $0) } ?? .standard() }

  /// The path of the cache folder as given or found, without trailing slashes.
  var cachePath: String {
    let path = namedCache ?? CacheFolder.standard().path
    let end = path.lastIndex { $0 != "/" }
    return end.map { String(path[...$0]) } ?? "/"
  }

  /// The cache folder that was given by `--cache` or `PETSPOT_CACHE`, if any.
  private var namedCache: String? {
    let named = getenv("PETSPOT_CACHE").flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
    return givenCache?.string ?? named
  }

  /// Creates the pool of worker processes that decode photos in a sandbox. Starts the first one in the background if
  /// `warm` is `true`.
  ///
  /// - Parameters:
  ///   - trust: the rule for sharing workers among photos. The photos that a command reads belong to one person, but
  ///     stored photos may come from several.
  ///   - maxWorkers: the maximum number of workers that decode at the same time.
  ///   - spares: the number of workers started in advance. A single photo needs no second worker.
  ///   - file: the only file that is decoded; `nil` if there may be others.
  /// - Returns: the place where photos are decoded.
  func startDecoders(
    trust: DecoderTrust = .owner(photosPerWorker: 50), maxWorkers: Int? = nil, spares: Int = 0,
    warm: Bool = true, for file: FilePath? = nil
  ) -> PhotoDecoding {
    if decodesInProcess { return .inProcess }
    let decoders = DecoderPool(
      trust: trust, maxWorkers: maxWorkers, spares: spares, allowsWeakSandbox: allowWeakSandbox,
      ledger: cacheFolder.crashes)
    if let file, file != "-" {
      decoders.warm(for: file)
    } else if warm {
      decoders.warm()
    }
    return .sandboxed(decoders)
  }

  /// Prints the JSON with `--json`, otherwise the text unless `--quiet` is given.
  ///
  /// - Parameter isEssential: `true` if the text is printed even with `--quiet`.
  func print(
    _ json: JSON, orText text: @autoclosure () -> String, isEssential: Bool = false
  ) throws(StoreError) {
    if self.json { return try Output.line(json.line) }
    guard isEssential || !quiet else { return }
    let text = text()
    if !text.isEmpty { try Output.text(text) }
  }

  /// Prints an additional text for people. Prints nothing with `--json` or `--quiet`.
  func say(_ text: String) throws(StoreError) {
    if !json, !quiet { try Output.text(text) }
  }

  /// Sends the libraries' log to standard error, because standard output is reserved for results.
  func startLogging() {
    let level: Logger.Level = verbose ? .debug : quiet ? .error : .warning
    LoggingSystem.bootstrap { LineLogHandler(label: $0, level: level) }
  }
}

/// The option for commands that work on a draft.
struct DraftOptions: ParsableArguments {
  @Option(
    name: .customLong("draft"), help: .words("help.option.draft", "id"),
    transform: RawArguments.text)
  var id = "default"
}

extension RawArguments {
  /// Returns the path that an argument names. Used as a `transform:`.
  static func requiredPath(_ argument: String) throws -> FilePath {
    guard let path = path(argument) else { throw ValidationError(text: "usage.emptyPath") }
    if let end = argument.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.\-]+:\/\/|[Ff][Ii][Ll][Ee]:\//)?.0 {
      let address = text(argument)
      guard end.lowercased().hasPrefix("file:") else {
        throw ValidationError(text: "usage.webAddress", ["address": address])
      }
      let path = RawArguments.unescapedAddress(
        "file://" + argument.dropFirst(end.hasSuffix("//") ? 7 : 5))
      throw ValidationError(
        text: "usage.fileAddress", ["address": address, "path": ShellWords.quoted(path)])
    }
    return path
  }

  /// Returns a path as text. Throws if the file's name is not UTF-8.
  static func requiredText(_ argument: String) throws -> String {
    try requiredTextPath(argument).string
  }

  /// Returns the path of a folder that PetSpot writes to. It must be UTF-8, as SQLite and Foundation require.
  static func requiredTextPath(_ argument: String) throws -> FilePath {
    let path = try requiredPath(argument)
    guard String(validating: path.rawBytes, as: UTF8.self) != nil else {
      throw ValidationError(text: "usage.folderPathNotUTF8")
    }
    return path
  }
}

extension GlobalOptions {
  /// Opens the stores in the cache folder. See `Stores.open`.
  func openStores(
    pool: WorkerPool = WorkerPool(), decoding: PhotoDecoding = .sandboxed(),
    timeout: TimeInterval = 10
  ) throws(StoreError) -> Stores {
    try .open(
      cacheFolder, database: database, blobs: blobs, pool: pool, decoding: decoding,
      timeout: timeout)
  }

  /// Opens the stores for a command that only reads, or returns `nil` if the cache folder doesn't exist yet. Reading
  /// doesn't create it.
  func openStoresIfThere() throws(StoreError) -> Stores? {
    // With a database, the records need no folder here.
    guard database == nil else { return try openStores() }
    var folder = FilePath(cacheFolder.path)
    // `lstat`, because a dangling link counts as existing.
    var link = stat()
    guard lstat(folder.string, &link) != 0, errno == ENOENT else { return try openStores() }
    // If the folder couldn't be created, report that now and not with the first photo.
    while access(folder.string, F_OK) != 0 {
      guard errno == ENOENT, folder.removeLastComponent() else { return try openStores() }
      if folder.isEmpty { folder = "." }
    }
    return access(folder.string, W_OK | X_OK) == 0 ? nil : try openStores()
  }

  /// Throws if a restore into the store was begun and has not ended, because the command would see only a part.
  func checkIsWhole(_ photos: PhotoAttachmentCache) async throws(StoreError) {
    try await photos.threads.finish { try photos.checkIsRestored() }
  }
}

extension Stores {
  /// Saves the place where the photo was taken in the draft, as a suggestion for step 3 (the description). Saves `nil`
  /// if the photo is gone or has no position.
  func keepPlace(of photo: AttachedPhoto?, draft: String) async {
    await DraftSession.keepPlace(
      of: photo, draft: draft, store: drafts, photos: photos, logger: Logger(label: "petspot"))
  }
}

/// The option `--jobs` of commands that process many photos.
struct JobsOption: ParsableArguments {
  @Option(help: .words("help.option.jobs", "n"))
  var jobs: Int?

  func validate() throws {
    if let jobs, jobs < 1 {
      throw ValidationError(text: "usage.optionBelowOne", ["option": "--jobs"])
    }
  }
}

/// The option `--shard` of commands whose work can be split among several machines. A shard is one of several equal
/// parts of the store.
struct ShardOption: ParsableArguments {
  @Option(
    help: .words("help.option.shard", "i/n"),
    transform: { text in
      guard let shard = StoreShard(text) else { throw ValidationError(text: "usage.notAShard") }
      return shard
    })
  var shard: StoreShard?

  /// The shard to work on, which is everything by default.
  var part: StoreShard { shard ?? .whole }

  /// Returns the JSON with the shard added, if one is given.
  func marking(_ json: JSON) -> JSON {
    json.addingKnown(["shard": shard.map { "\($0)" }])
  }
}

/// A command that has the global options.
package protocol PetspotCommand: ParsableCommand {
  var options: GlobalOptions { get }
}
