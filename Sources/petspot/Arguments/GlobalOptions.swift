package import ArgumentParser
import Foundation
import Logging
import PetSpotStores
package import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

/// The options all commands share.
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

  static func check(database text: String) throws {
    // What was given is not repeated: a password may be in it.
    guard Stores.isDatabaseAddress(text) else {
      throw ValidationError(text: "usage.notADatabaseAddress")
    }
  }

  /// The database that keeps records: `--database`, else `PETSPOT_DATABASE`; nil for the cache folder.
  var database: String? { Stores.databaseAddress(given: givenDatabase) }

  /// The store that keeps pictures: `--blobs`, else `PETSPOT_BLOBS`; nil for the cache folder.
  var blobs: String? { Stores.blobsAddress(given: givenBlobs) }

  /// The cache folder: `--cache`, else `PETSPOT_CACHE`, else the user's (decision 10).
  package var cacheFolder: CacheFolder { namedCache.map { CacheFolder(path: $0) } ?? .standard() }

  /// The path of the cache folder as it was given or found, without slashes at its end.
  var cachePath: String {
    let path = namedCache ?? CacheFolder.standard().path
    let end = path.lastIndex { $0 != "/" }
    return end.map { String(path[...$0]) } ?? "/"
  }

  private var namedCache: String? {
    let named = getenv("PETSPOT_CACHE").flatMap { $0.pointee == 0 ? nil : String(cString: $0) }
    return givenCache?.string ?? named
  }

  /// Worker processes of this program; the first one gets ready while we do something else, unless
  /// it may never be needed. Nil to decode in this process.
  ///
  /// - Parameters:
  ///   - trust: a command is one person's, so that its photos are too, unless they are stored ones.
  ///   - maxWorkers: how many decode at the same time, at most.
  ///   - spares: how many get ready before a photo needs them; one photo needs no second.
  ///   - file: the only file that is decoded; `nil` if there may be others.
  func startDecoders(
    trust: DecoderTrust = .owner(photosPerWorker: 50), maxWorkers: Int? = nil, spares: Int = 0,
    warm: Bool = true, for file: FilePath? = nil
  ) -> DecoderPool? {
    if decodesInProcess { return nil }
    let decoders = DecoderPool(
      trust: trust, maxWorkers: maxWorkers, spares: spares, allowsWeakSandbox: allowWeakSandbox,
      ledger: cacheFolder.crashes)
    if let file, file != "-" {
      decoders.warm(for: file)
    } else if warm {
      decoders.warm()
    }
    return decoders
  }

  /// Prints the JSON with `--json`, else the text for people, unless they asked for quiet.
  ///
  /// - Parameter isEssential: whether `--quiet` does not hide the text.
  func print(
    _ json: JSON, orText text: @autoclosure () -> String, isEssential: Bool = false
  ) throws(StoreError) {
    if self.json { return try Output.line(json.line) }
    guard isEssential || !quiet else { return }
    let text = text()
    if !text.isEmpty { try Output.text(text) }
  }

  /// Says something beside the answer to people.
  func say(_ text: String) throws(StoreError) {
    if !json, !quiet { try Output.text(text) }
  }

  /// Sends the libraries' log to standard error; standard output belongs to the answer.
  func startLogging() {
    let level: Logger.Level = verbose ? .debug : quiet ? .error : .warning
    LoggingSystem.bootstrap { LineLogHandler(label: $0, level: level) }
  }
}

/// The option of commands that work on a draft.
struct DraftOptions: ParsableArguments {
  @Option(
    name: .customLong("draft"), help: .words("help.option.draft", "id"),
    transform: RawArguments.text)
  var id = "default"
}

extension RawArguments {
  /// The path an argument names, for `transform:`.
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

  /// The path of a file whose name is text.
  static func requiredText(_ argument: String) throws -> String {
    try requiredTextPath(argument).string
  }

  /// A folder that PetSpot writes to: SQLite and Foundation take paths as text.
  static func requiredTextPath(_ argument: String) throws -> FilePath {
    let path = try requiredPath(argument)
    guard String(validating: path.rawBytes, as: UTF8.self) != nil else {
      throw ValidationError(text: "usage.folderPathNotUTF8")
    }
    return path
  }
}

extension GlobalOptions {
  /// Opens the stores in the cache folder, see `Stores.open`.
  func openStores(
    pool: WorkerPool = WorkerPool(), decoders: DecoderPool? = DecoderPool(),
    timeout: TimeInterval = 10
  ) throws(StoreError) -> Stores {
    try .open(
      cacheFolder, database: database, blobs: blobs, pool: pool, decoders: decoders,
      timeout: timeout)
  }

  /// The same for commands that only look: nil where there is no cache yet, which is not made for a
  /// look.
  func openStoresIfThere() throws(StoreError) -> Stores? {
    // Records that lie elsewhere need no folder here.
    guard database == nil else { return try openStores() }
    var folder = FilePath(cacheFolder.path)
    // A link that leads nowhere is there.
    var link = stat()
    guard lstat(folder.string, &link) != 0, errno == ENOENT else { return try openStores() }
    // Where it cannot be created, that is reported now and not with the first photo.
    while access(folder.string, F_OK) != 0 {
      guard errno == ENOENT, folder.removeLastComponent() else { return try openStores() }
      if folder.isEmpty { folder = "." }
    }
    return access(folder.string, W_OK | X_OK) == 0 ? nil : try openStores()
  }

  /// Throws if a restore into a store was begun and has not ended: what works on all of it works on a part.
  func checkIsWhole(_ photos: PhotoAttachmentCache) async throws(StoreError) {
    try await photos.threads.finish { try photos.checkIsRestored() }
  }
}

extension Stores {
  /// Keeps in a draft where its photo was taken, which step 3 offers; nil when the photo does not say
  /// or is gone.
  func keepPlace(of photo: AttachedPhoto?, draft: String) async {
    await DraftSession.keepPlace(
      of: photo, draft: draft, store: drafts, photos: photos, logger: Logger(label: "petspot"))
  }
}

/// `--jobs`, of the commands that work on many photos.
struct JobsOption: ParsableArguments {
  @Option(help: .words("help.option.jobs", "n"))
  var jobs: Int?

  func validate() throws {
    if let jobs, jobs < 1 {
      throw ValidationError(text: "usage.optionBelowOne", ["option": "--jobs"])
    }
  }
}

/// `--shard`, of the commands that several machines may share.
struct ShardOption: ParsableArguments {
  @Option(
    help: .words("help.option.shard", "i/n"),
    transform: { text in
      guard let shard = StoreShard(text) else { throw ValidationError(text: "usage.notAShard") }
      return shard
    })
  var shard: StoreShard?

  var part: StoreShard { shard ?? .whole }

  /// The JSON, with the part when it is one.
  func marking(_ json: JSON) -> JSON {
    shard.map { json.adding(["shard": .string("\($0)")]) } ?? json
  }
}

/// A command with the options all commands share.
package protocol PetspotCommand: ParsableCommand {
  var options: GlobalOptions { get }
}
