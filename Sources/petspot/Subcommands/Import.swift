import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import SystemPackage
import PhotoIngestion

struct Import: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Import folders of photos into the library that reports attach from.",
    discussion: """
      Walks the folders and takes every photo it finds. A file that was imported before and has not \
      changed is not read again, and one bad file never stops the rest. Ctrl-C finishes what is in \
      flight; start the command again to go on.

      Originals are never touched, unless --delete-source asks for it. It keeps every original that \
      holds more than its stored photo (motion video, depth map, second picture, animation, more \
      than 8 bits, colors outside sRGB, CMYK), or whose pixels were stored from another file, and \
      says so; --delete-lossy-source deletes these too. A picture that was encoded again because \
      it was turned or is HEIC counts as whole, and metadata that was taken out does not count. \
      Nothing in a photo cache is ever imported or deleted. A run that is killed while it deletes \
      may leave an original as .petspot-delete-…-NAME; the next one with --delete-source renames it.

      EXAMPLES:
        petspot import ~/Photos
        petspot import ~/Photos --report photos.html
        petspot import /media/card --include '*.heic' --dry-run
        petspot attach --asset ID
      """)

  @Argument(
    help: ArgumentHelp("Folders and photos.", valueName: "path"), completion: .file(),
    transform: RawArguments.requiredPaths)
  var given: [[FilePath]]

  private var paths: [FilePath] { Array(given.joined()) }

  @Option(
    help: ArgumentHelp("Photos to work on at a time (default: one per core).", valueName: "n"))
  var jobs: Int?

  @Flag(help: "Tell what would be done and store nothing.")
  var dryRun = false

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp(
      "Only files whose name matches; with a slash, the path below the folder.",
      valueName: "glob"), transform: RawArguments.text)
  var include: [String] = []

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Leave out files and folders that match.", valueName: "glob"),
    transform: RawArguments.text)
  var exclude: [String] = []

  @Flag(help: "Take hidden files and folders too.")
  var hidden = false

  @Flag(help: "Follow symbolic links that stay within the given folders.")
  var followSymlinks = false

  @Flag(help: "Follow symbolic links that lead out of the given folders as well.")
  var followOutside = false

  @Option(help: ArgumentHelp("Stop after this many failed files.", valueName: "n"))
  var maxErrors: Int?

  @Flag(help: "Look again at unchanged files that were refused before.")
  var retryRefused = false

  @Option(
    help: ArgumentHelp(
      "Write a report; its ending chooses the kind.", valueName: "file.html|.json|.csv"),
    completion: .file(extensions: ["html", "json", "csv"]),
    transform: RawArguments.requiredPath)
  var report: FilePath?

  @Flag(help: "Delete each original once its stored photo was read back and proved.")
  var deleteSource = false

  @Flag(help: "With --delete-source: also originals that hold more than their stored photo.")
  var deleteLossySource = false

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs has to be 1 or more.") }
    if let maxErrors, maxErrors < 1 { throw ValidationError("--max-errors has to be 1 or more.") }
    if deleteLossySource, !deleteSource {
      throw ValidationError("--delete-lossy-source needs --delete-source.")
    }
    if let report, ImportReportFile.Kind(of: report) == nil {
      throw ValidationError("--report takes a name that ends in .html, .json or .csv.")
    }
  }

  func run() async throws {
    let jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
    var limits = DecoderLimits()
    // It has one thread more than decoders, and nobody in a hurry: no photo fails for waiting.
    limits.waitSeconds = 3600
    let decoders = options.startDecoders(
      // Who imports folders trusts each file in them with the others.
      trust: .owner(photosPerWorker: 50), most: jobs, limits: limits)
    // One thread more reads, proves, or waits for the disk while `jobs` photos are decoded.
    let pool = WorkerPool(threadCount: decoders == nil ? jobs : jobs + 1)
    // Nobody sits and waits for one photo of an import.
    let cache = try options.openStores(pool: pool, patience: 600).photos
    // Parallel over photos, not inside one.
    var policy = cache.policy
    policy.threadsPerPhoto = 1
    let teller = try about(report) { () throws(StoreError) in
      try ImportTeller(
        options: .init(json: options.json, quiet: options.quiet, verbose: options.verbose),
        report: report, cache: cache)
    }
    var importOptions = importOptions
    importOptions.exclude += teller.unfinishedNames
    let importer = PhotoImporter(
      cache: cache, pipeline: PhotoPipeline(policy: policy, decoders: decoders),
      options: importOptions)
    teller.drawProgress()
    defer { teller.close() }
    if teller.showsProgress {
      let (paths, importer) = (paths, importer)
      Thread.detachNewThread { teller.expect(importer.survey(paths)) }
    }
    let paths = paths
    let summary = try await Interruption.cancelling(telling: teller.tellStopping) {
      () async throws(StoreError) in
      try await importer.run(paths) { file throws(StoreError) in try teller.tell(file) }
    }
    try teller.finish(summary)
    switch summary.stopped {
    case .interrupted: throw ExitCode(StoreError.cancelled.exitCode)
    case .tooManyErrors: throw ExitCode(65)
    case .none: if summary.failed > 0 { throw ExitCode(65) }
    }
  }

  private var importOptions: ImportOptions {
    var options = ImportOptions()
    options.dryRun = dryRun
    options.include = include
    options.exclude = exclude
    options.hidden = hidden
    options.followSymlinks = followSymlinks || followOutside
    options.followOutside = followOutside
    options.maxErrors = maxErrors
    options.deleteSource = deleteSource
    options.deleteLossySource = deleteLossySource
    options.retryRefused = retryRefused
    return options
  }
}
