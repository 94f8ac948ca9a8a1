import Foundation
import PhotoAttachments
import Synchronization
import SystemPackage
import ReportFlow

/// Tells of an import while it runs: JSON lines, plain lines, or a bar on a terminal, and the report.
final class ImportOutput: Sendable {
  let showsProgress: Bool
  /// Names that the walk leaves out: those of a report that is not complete yet.
  let ownNames: [String]
  private let options: Options
  private let state: Mutex<State>

  /// What the person asked to see.
  struct Options: Sendable {
    var json: Bool
    var quiet: Bool
    var verbose: Bool
    var dryRun: Bool
    var moves: Bool
    /// Whether originals are taken away.
    var removesSource: Bool
    /// Whether workers do it, whose threads' times are unknown.
    var isDistributed: Bool
    // On a terminal the bar counts files; in a pipe those that changed have lines.
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
    let isTerminal = isatty(STDERR_FILENO) == 1 && getenv("TERM").map { strcmp($0, "dumb") } != 0
    showsProgress = isTerminal && !options.quiet
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

  /// Sets how much there is to do.
  func expect(_ survey: ImportSurvey) { state.withLock { $0.progress.total = survey } }

  /// Draws the bar again and again on a thread of its own: files come in groups, time passes between
  /// them, and windows change their size.
  func drawProgress() {
    guard showsProgress else { return }
    Thread.detachNewThread { [self] in
      while true {
        let isFinished = state.withLock { state in
          if !state.isFinished {
            let columns = Terminal.standardError().columns
            // Cut off at the margin, never wrapped: some characters are two cells wide.
            Output.raw(
              "\r\u{1B}[K\u{1B}[?7l" + state.progress.line(columns: columns) + "\u{1B}[?7h")
          }
          return state.isFinished
        }
        if isFinished { return }
        Thread.sleep(forTimeInterval: 0.1)
      }
    }
  }

  /// Suspends without a line of the bar: nothing is drawn between its end and the suspension, and it is
  /// drawn again afterwards.
  func pausing(_ suspend: () -> Void) {
    state.withLock { state in
      eraseBar(state)
      suspend()
    }
  }

  func report(_ file: ImportedFile) throws(StoreError) {
    try state.withLock { state throws(StoreError) in
      state.progress.add(file)
      state.formatter.note(file)
      switch file.sourceKept {
      case .failed? where !options.dryRun, .storeFailed?: state.refusedSources += 1
      default: break
      }
      try state.report?.add(file, state.formatter)
      if !isWorthALine(file) || !options.listsFiles { state.causes.add(file) }
      if options.json {
        try Output.line(file.json(state.formatter).line)
      } else if !options.quiet, isWorthALine(file) {
        if showsProgress { Output.raw("\r\u{1B}[K") }
        try Output.text(state.formatter.line(file))
      }
    }
  }

  /// Whether originals stay because the system or their store refused to take them away.
  var hasRefusedSources: Bool { state.withLock { $0.refusedSources > 0 } }

  /// Takes away the bar, and a report that an error kept from being finished.
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

  /// Tells that the import was asked to end.
  func showStopping() {
    guard showsProgress else { return }
    state.withLock { _ in
      Output.raw("\r\u{1B}[K")
      Output.note(text: "import.stopping")
    }
  }

  /// Says once that all is imported, and that what is added is watched for.
  @Sendable func remarkIdle() {
    let isSaid = state.withLock { state in
      defer { state.isIdleSaid = true }
      return state.isIdleSaid
    }
    if !isSaid { remark(L10n.words("import.watching")) }
  }

  /// Says something beside the files, to people.
  func remark(_ text: String) {
    guard !options.quiet else { return }
    state.withLock { state in
      eraseBar(state)
      Output.note("petspot: " + text)
    }
  }

  /// Completes the report, and shows the totals, where the photos are, and how to go on when it was stopped.
  ///
  /// - Parameter place: where the photos are, nil when nothing was stored.
  /// - Throws: also what kept the report from its place, once all is shown.
  func finish(_ summary: ImportSummary, place: String?) throws {
    stopDrawing()
    var reportFailure: Failure?
    try state.withLock { state in
      do throws(Failure) { try state.report?.finish(summary, state.formatter) } catch {
        reportFailure = error
      }
      if options.json {
        let json = summary.json(state.formatter)
        try Output.line((options.isDistributed ? json.without("stages") : json).line)
      } else if !options.quiet {
        try Output.text(summary.sentence(state.formatter))
        for line in state.causes.lines(report: state.report?.path) { try Output.text(line) }
        if options.verbose, !options.isDistributed {
          try Output.text(summary.stages.sentence)
        }
        // After moves, undoing keeps photos, although there are other copies.
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
      Output.note("petspot: " + L10n.words("import.sourcesRefused", count: refused))
    }
    if summary.stopped != nil { Output.note(text: "import.interrupted") }
    if let reportFailure { throw reportFailure }
  }

  private func isWorthALine(_ file: ImportedFile) -> Bool {
    if options.verbose || file.sourceKept != nil { return true }
    return switch file.outcome {
    case .failed: true
    // The totals have one line for all of them.
    case .unchanged, .skipped(.sidecar): false
    default: options.listsFiles
    }
  }
}
