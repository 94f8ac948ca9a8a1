import Foundation
import PhotoAttachments
import Synchronization
import SystemPackage
import ReportFlow

/// The output of a running import: JSON lines, plain lines or a progress bar on a terminal, and the report.
final class ImportOutput: Sendable {
  let showsProgress: Bool
  /// Patterns that exclude the unfinished report from the import.
  let ownNames: [String]
  private let options: Options
  private let state: Mutex<State>

  /// The options that control the output.
  struct Options: Sendable {
    var json: Bool
    var quiet: Bool
    var verbose: Bool
    var dryRun: Bool
    var moves: Bool
    /// `true` if originals are removed.
    var removesSource: Bool
    /// `true` if workers do the import. The times of their threads are unknown.
    var isDistributed: Bool
    // On a terminal, the bar counts the files. In a pipe, each file has a line, except unchanged ones and sidecars.
    fileprivate var listsFiles: Bool { verbose || isatty(STDOUT_FILENO) == 0 }
  }

  private struct State {
    var report: ImportReportFile?
    var progress: ImportProgress
    var formatter: ImportFormatter
    var causes = ImportCauses()
    var refusedSources = 0
    var isFinished = false
    var isIdleSaid = false
  }

  init(
    options: Options, report: FilePath?, heading: ImportHeading, cache: PhotoAttachmentCache
  ) throws(StoreError) {
    showsProgress = ImportProgress.isShown(quiet: options.quiet)
    self.options = options
    let begun = try report.map { path throws(StoreError) in
      try ImportReportFile(path, heading: heading)
    }
    ownNames = begun?.ownNames ?? []
    state = Mutex(
      State(
        report: begun, progress: ImportProgress(dryRun: options.dryRun),
        formatter: ImportFormatter(cache: cache, dryRun: options.dryRun, moves: options.moves)))
  }

  /// Sets the total amount of work.
  func expect(_ survey: ImportSurvey) { state.withLock { $0.progress.total = survey } }

  /// Draws the bar until the import is finished.
  func drawProgress() {
    guard showsProgress else { return }
    ImportProgress.redraw { [self] columns, show in
      state.withLock { state in
        if !state.isFinished { show(state.progress.line(columns: columns)) }
        return !state.isFinished
      }
    }
  }

  /// Suspends the process without the bar on the screen. The lock prevents drawing until the process continues.
  func pausing(_ suspend: () -> Void) {
    state.withLock { state in
      eraseBar(state)
      suspend()
    }
  }

  /// Updates the progress and the report, and prints a line for the file if it is worth one.
  func report(_ file: ImportedFile) throws(StoreError) {
    try state.withLock { state throws(StoreError) in
      state.progress.add(file)
      state.formatter.recordFile(file)
      switch file.sourceKept {
      case .failed? where !options.dryRun, .storeFailed?: state.refusedSources += 1
      default: break
      }
      try state.report?.add(file, state.formatter)
      if !isWorthALine(file) || !options.listsFiles { state.causes.add(file) }
      if let kept = file.sourceKept { state.causes.addKept(kept) }
      if options.json {
        try Output.line(file.json(state.formatter).line)
      } else if !options.quiet, isWorthALine(file) {
        if showsProgress { Output.raw("\r\u{1B}[K") }
        try Output.text(state.formatter.line(file))
      }
    }
  }

  /// `true` if originals were kept because the system or their store failed to remove them.
  var hasRefusedSources: Bool { state.withLock { $0.refusedSources > 0 } }

  /// Removes the bar, and the report if an error kept it from being finished.
  func close() {
    stopDrawing()
    state.withLock { $0.report = nil }
  }

  private func stopDrawing() {
    state.withLock { state in
      eraseBar(state)
      state.isFinished = true
    }
  }

  private func eraseBar(_ state: State) {
    if showsProgress, !state.isFinished { Output.raw("\r\u{1B}[K") }
  }

  /// Prints that the import is stopping.
  func showStopping() {
    guard showsProgress else { return }
    state.withLock { _ in
      Output.raw("\r\u{1B}[K")
      Output.printNote(text: "import.stopping")
    }
  }

  /// Prints once that everything is imported and that the folders are being watched.
  @Sendable func remarkIdle() {
    let isSaid = state.withLock { state in
      defer { state.isIdleSaid = true }
      return state.isIdleSaid
    }
    if !isSaid { remark(L10n.words("import.watching")) }
  }

  /// Prints a message that isn't about a single file.
  func remark(_ text: String) {
    guard !options.quiet else { return }
    state.withLock { state in
      eraseBar(state)
      Output.printNote("petspot: " + text)
    }
  }

  /// Completes the report, and prints the totals, the place of the photos, and how to continue a stopped import.
  ///
  /// - Parameter place: the place of the photos. `nil` in a dry run.
  /// - Throws: also the error that kept the report from its path, after everything else is printed.
  func finish(_ summary: ImportSummary, place: String?) throws {
    stopDrawing()
    var reportFailure: Failure?
    try state.withLock { state in
      do throws(Failure) { try state.report?.finish(summary, state.formatter) } catch {
        reportFailure = error
      }
      if options.json {
        let kept = state.causes.kept.sorted { $0.key < $1.key }.map {
          JSON.Member($0.key, $0.value)
        }
        let json = summary.json(state.formatter).adding(["kept": JSON.object(kept)])
        try Output.line((options.isDistributed ? json.without("stages") : json).line)
      } else if !options.quiet {
        try Output.text(summary.sentence(state.formatter))
        for line in state.causes.lines(report: state.report?.path) { try Output.text(line) }
        if options.verbose, !options.isDistributed {
          try Output.text(summary.stages.sentence)
        }
        // After moves, undoing keeps photos even if copies of them exist elsewhere.
        if let run = summary.run, summary.movedSources == 0 {
          try Output.text(
            L10n.words(
              summary.deletedSources > 0 && options.removesSource
                ? "import.totals.onlyCopies" : "import.totals.undo",
              ["run": "\(run)"]))
        }
        if let place { try Output.text(L10n.words("import.totals.place", ["folder": place])) }
      }
    }
    let refused = state.withLock { $0.refusedSources }
    if refused > 0 {
      Output.printNote("petspot: " + L10n.words("import.sourcesRefused", count: refused))
    }
    if summary.stopped != nil { Output.printNote(text: "import.interrupted") }
    if let reportFailure { throw reportFailure }
  }

  /// Returns `true` if a file gets a line of output.
  private func isWorthALine(_ file: ImportedFile) -> Bool {
    if options.verbose { return true }
    switch file.sourceKept {
    // The totals send the reader to this line.
    case .failed, .storeFailed: return true
    case .some: return options.listsFiles
    case nil: break
    }
    return switch file.outcome {
    case .failed: true
    // The totals count these together.
    case .unchanged, .skipped(.sidecar): false
    default: options.listsFiles
    }
  }
}
