import PetSpotStores
import ArgumentParser
import Foundation
import PhotoAttachments
import Synchronization
import SystemPackage
import PhotoIngestion
import ReportFlow

/// `petspot import`: adds the photos of folders or an object store to the library.
struct Import: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.import.abstract", "help.import.discussion",
    examples: """
      petspot import ~/Photos
      petspot import ~/Photos --report photos.html
      petspot import /media/card --include '*.heic' --dry-run
      find ~/Photos -name '*.jpg' -print0 | petspot import --files-from -
      petspot import ~/Photos --move-source ~/Imported --cache ~/PetSpot --yes
      petspot import ~/Phone --watch
      petspot import 's3://photos/2026?endpoint=https://s3.example.org'
      petspot import /mnt/photos --distribute
      petspot attach --asset 6F9619FF-8B86-4011-B42D-00C04FC964FF
      """)

  @Argument(
    help: .words("help.import.paths", "path"), completion: .file(), transform: ImportInput.all)
  var given: [[ImportInput]] = []

  @OptionGroup var selection: FileSelection

  var paths: [FilePath] { selection.paths(and: given) }

  /// The address of the object store that is imported from, or `nil` if folders are.
  var objects: String? {
    if case .objects(let address)? = given.first?.first { address } else { nil }
  }

  @OptionGroup var parallel: JobsOption

  @Flag(help: .words("help.import.dryRun"))
  var dryRun = false

  @Flag(help: .words("help.import.again"))
  var again = false

  @Option(
    help: .words("help.import.report", "file.html|.json|.csv"),
    completion: .file(extensions: ["html", "json", "csv"]), transform: RawArguments.requiredPath)
  var report: FilePath?

  @Flag(help: .words("help.import.deleteSource"))
  var deleteSource = false

  @Option(
    help: .words("help.import.moveSource", "dir"), completion: .directory,
    transform: RawArguments.requiredPath)
  var moveSource: FilePath?

  @Flag(help: .words("help.import.deleteLossySource"))
  var deleteLossySource = false

  @Flag(help: .words("help.import.yes"))
  var yes = false

  @Flag(help: .words("help.import.watch"))
  var watch = false

  @Flag(help: .words("help.import.distribute"))
  var distribute = false

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    try validateDistribution()
    if given.isEmpty, selection.filesFrom == nil {
      throw ValidationError(text: "usage.importNothing")
    }
    try ImportInput.check(Array(given.joined()))
    try ValidationError.rejectBoth(
      "s3://", objects != nil, "--files-from", selection.filesFrom != nil)
    try ValidationError.rejectBoth("s3://", objects != nil, "--move-source", moveSource != nil)
    try validateWatch()
    try ValidationError.rejectBoth(
      "--delete-source", deleteSource, "--move-source", moveSource != nil)
    try ValidationError.require(
      "--delete-source / --move-source", deleteSource || moveSource != nil,
      for: "--delete-lossy-source", deleteLossySource)
    if let report, ImportReportFile.Kind(of: report) == nil {
      throw ValidationError(text: "usage.reportKind")
    }
    if let moveSource,
      SourceDestination.isRefused(moveSource, importing: paths, into: options.cacheFolder)
    {
      throw ValidationError(text: "usage.moveSourceInside")
    }
    try validateRemoval()
  }

  /// Checks that `--watch` has a folder to watch, and is not combined with options that it doesn't support.
  private func validateWatch() throws {
    guard watch else { return }
    for (option, isGiven) in [
      ("--distribute", distribute), ("--dry-run", dryRun), ("s3://", objects != nil),
      ("--follow-symlinks", selection.followSymlinks),
      // The remaining files of a set may arrive after its photo was removed.
      ("--delete-source", deleteSource), ("--move-source", moveSource != nil),
    ] {
      try ValidationError.rejectBoth("--watch", true, option, isGiven)
    }
    guard paths.contains(where: \.isFolder) else {
      throw ValidationError(text: "usage.watchNeedsFolder")
    }
  }

  /// Checks that originals may be removed: a person can agree to it, and the cache folder is not disposable.
  private func validateRemoval() throws {
    guard removesSource else { return }
    guard yes || Terminal.isInteractive else {
      throw ValidationError(text: "usage.originalsNeedYes")
    }
    if options.blobs == nil, options.cacheFolder.isDisposable() {
      throw ValidationError(
        text: "usage.originalsOnlyInCache",
        ["folder": DisplayText.path(FilePath(options.cacheFolder.path))])
    }
  }

  /// `true` if originals are removed after their import.
  private var removesSource: Bool { !dryRun && (deleteSource || moveSource != nil) }

  /// Throws before anything is imported if the report's path is taken by another file.
  private func checkReport() throws(Failure) {
    guard let report, let kind = ImportReportFile.Kind(of: report) else { return }
    _ = try EarlierReport.find(at: report, kind)
  }

  func run() async throws {
    try selection.checkInputs(paths)
    try checkReport()
    if distribute { return try await runDistributed() }
    try checkConsent()
    // A long timeout, because no person waits for a single photo of an import.
    let setup = try ImportSetup(jobs: parallel.jobs, options, timeout: 600)
    let cache = setup.stores.photos
    let output = try output(for: cache, isDistributed: false)
    var importOptions = importOptions
    importOptions.exclude += output.ownNames
    let importer = PhotoImporter(
      cache: cache, pipeline: setup.pipeline, options: importOptions, names: heading.folders)
    output.drawProgress()
    defer { output.close() }
    if output.showsProgress, objects == nil, !watch {
      let paths = paths
      let importer = importer
      Thread.detachNewThread { output.expect(importer.survey(paths)) }
    }
    let paths = paths
    let watches = watch
    let source = try source()
    let summary = try await Interruption.withCancellation(onInterrupt: output.showStopping) {
      () async throws(StoreError) in
      let onFile = { @Sendable (file: ImportedFile) throws in try output.report(file) }
      if let source { return try await importer.importObjects(source, onFile: onFile) }
      guard watches else { return try await importer.importPhotos(paths, onFile: onFile) }
      return try await importer.watch(paths, onIdle: output.remarkIdle, onFile: onFile)
    }
    try output.finish(summary, place: place)
    if summary.stopped != nil { throw ExitCode(StoreError.cancelled.exitCode) }
    if output.hasRefusedSources { throw ExitCode(74) }
    if summary.failed > 0 { throw ExitCode(65) }
  }

  /// The place of the photos after the import. `nil` in a dry run.
  var place: String? {
    if dryRun { return nil }
    return ReadableText.escaped(options.blobs ?? options.cachePath)
  }

  /// Starts the output and the report.
  func output(for cache: PhotoAttachmentCache, isDistributed: Bool) throws -> ImportOutput {
    let output = try about(report) { () throws(StoreError) in
      try ImportOutput(
        options: .init(
          json: options.json, quiet: options.quiet, verbose: options.verbose, dryRun: dryRun,
          moves: moveSource != nil, removesSource: removesSource, isDistributed: isDistributed),
        report: report, heading: heading, cache: cache)
    }
    Interruption.reactions.withLock { $0.aroundSuspension = { output.pausing($0) } }
    return output
  }

  /// The object store that is imported from, or `nil` if folders are.
  func source() throws(StoreError) -> (any ObjectSource)? {
    try objects.map { address throws(StoreError) in
      try Stores.source(address, beside: options.blobs)
    }
  }

  /// The heading of a report.
  var heading: ImportHeading {
    ImportHeading(
      folders: (objects.map { [$0] } ?? [])
        + paths.prefix(20).map(DisplayText.exact) + (paths.count > 20 ? ["…"] : []),
      command: ShellWords.line(["petspot"] + RawArguments.ofProcess().prefix(40)),
      date: Amounts.moment(Date()))
  }

  /// Prints what will happen to originals before the import begins, and asks for consent at a terminal.
  func checkConsent() throws {
    guard removesSource else { return }
    if !options.quiet {
      Output.printNote(
        "petspot: " + SourceConsent.meaning(movingTo: moveSource, inStore: objects != nil))
    }
    if yes { return }
    try SourceConsent.askAtTerminal(
      L10n.words(deleteSource ? "import.originals.ask" : "import.originals.askMove"))
  }

  var importOptions: ImportOptions {
    var options = selection.importOptions
    options.dryRun = dryRun
    options.deletesSources = deleteSource
    options.moveSource = moveSource
    options.deletesLossySources = deleteLossySource
    options.retriesRefused = again
    return options
  }
}
