import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import ReportFlow
import SystemPackage

/// `petspot move`: copies all records and pictures to another database, object store or cache folder.
struct Move: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.move.abstract", "help.move.discussion",
    examples: """
      petspot move --to-database postgresql://db/petspot --to-blobs s3://pets?endpoint=https://s3.example.org
      petspot move --database postgresql://db/petspot --blobs s3://pets --to-cache ~/pets
      """)

  @Option(help: .words("help.move.toDatabase", "url"), transform: RawArguments.text)
  var toDatabase: String?

  @Option(help: .words("help.move.toBlobs", "url"), transform: RawArguments.text)
  var toBlobs: String?

  @Option(
    help: .words("help.move.toCache", "dir"), completion: .directory,
    transform: RawArguments.requiredTextPath)
  var toCache: FilePath?

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if toDatabase == nil, toBlobs == nil, toCache == nil {
      throw ValidationError(
        text: "usage.optionNeeds",
        ["one": "move", "other": "--to-database / --to-blobs / --to-cache"])
    }
    if let toDatabase { try GlobalOptions.check(database: toDatabase) }
    if let toBlobs, let problem = Stores.problem(ofBlobsAddress: toBlobs) {
      throw ValidationError(problem)
    }
    let from = options.cacheFolder
    let to = targetFolder
    if Stores.areSamePictures((from, options.blobs), (to, toBlobs)) {
      throw ValidationError(text: "usage.moveSamePictures")
    }
    if toDatabase == options.database,
      toDatabase != nil || Stores.areSamePictures((from, nil), (to, nil))
    {
      throw Self.sameRecords
    }
  }

  private static var sameRecords: ValidationError {
    ValidationError(text: "usage.moveSameRecords")
  }

  /// The target's folder. It keeps everything for which neither `--to-database` nor `--to-blobs` was given.
  private var targetFolder: CacheFolder {
    toCache.map { CacheFolder(path: $0.string) } ?? options.cacheFolder
  }

  func run() async throws {
    let pool = WorkerPool(threadCount: 1)
    guard let source = try options.openStoresIfThere() else {
      throw Failure(
        .photo(.unreadable(.system(errno: ENOENT))), about: FilePath(options.cacheFolder.path))
    }
    try await options.checkIsWhole(source.photos)
    let target = try Stores.open(
      targetFolder, database: toDatabase, blobs: toBlobs, pool: pool, decoding: .inProcess,
      timeout: 60)
    try await options.checkIsWhole(target.photos)
    guard source.photos.catalog.store.place != target.photos.catalog.store.place else {
      throw Self.sameRecords
    }
    let options = options
    let stopped = StopFlag()
    let showsProgress = !options.quiet && !options.json && isatty(STDERR_FILENO) == 1
    let move = StoreMove(
      from: StoreMove.Side(source.photos), to: .init(target.photos),
      isStopped: { stopped.isSet }
    ) { summary in
      if showsProgress { Output.raw("\r\u{1B}[K" + summary.counts) }
    } onUnmoved: { photo throws(StoreError) in
      if showsProgress { Output.raw("\r\u{1B}[K") }
      try options.print(photo.json, orText: photo.line())
    } onDiffering: { entry throws(StoreError) in
      if showsProgress { Output.raw("\r\u{1B}[K") }
      try options.print(entry.json, orText: entry.line)
    }
    let summary = try await {
      // Remove the line of progress even after an error.
      defer { if showsProgress { Output.raw("\r\u{1B}[K") } }
      return try await Interruption.withStop(stopped, on: source.photos.threads) {
        try move.copyAll()
      }
    }()
    try options.print(summary.json, orText: summary.counts)
    if summary.isDone { return }
    Output.printNote("petspot: " + summary.advice)
    throw ExitCode(summary.isStopped ? StoreError.cancelled.exitCode : 65)
  }
}
