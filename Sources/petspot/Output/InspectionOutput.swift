import PhotoAttachments
import PhotoIngestion
import ReportFlow
import Synchronization
import SystemPackage

/// The output of an inspection of folders: JSON lines, or lines for people about what is damaged or lossy, then totals.
final class InspectionOutput: Sendable {
  let showsProgress: Bool
  private let json: Bool
  private let quiet: Bool
  private let verbose: Bool
  private let all: Bool
  private let state = Mutex(State())

  private struct State {
    var progress = ImportProgress()
    var counts: [InspectedFile.Verdict: Int] = [:]
    var bytes = 0
    var failure: Int32 = 0
    var isFinished = false
    let began = ContinuousClock.now
  }

  /// - Parameter all: `true` to also print lines about files that are whole or that aren't photos.
  init(json: Bool, quiet: Bool, verbose: Bool, all: Bool) {
    self.json = json
    self.quiet = quiet
    self.verbose = verbose
    self.all = all
    showsProgress = ImportProgress.isShown(quiet: quiet)
  }

  /// Sets the total amount of work.
  func expect(_ survey: ImportSurvey) { state.withLock { $0.progress.total = survey } }

  /// Draws the bar until the inspection is finished.
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
    state.withLock {
      eraseBar($0)
      suspend()
    }
  }

  /// Counts a file, and prints a line if it is worth one.
  func report(_ file: InspectedFile) throws(StoreError) {
    let verdict = file.verdict
    try state.withLock { state throws(StoreError) in
      state.progress.add(file.path, bytes: file.sizeBytes, as: Self.text(of: verdict))
      state.counts[verdict, default: 0] += 1
      state.bytes += file.sizeBytes
      if case .refused(.photo(let error)) = file.result, verdict == .failed, state.failure == 0 {
        state.failure = StoreError(error).exitCode
      }
      if json { return try Output.line(file.json.line) }
      guard !quiet, all || ![.whole, .skipped].contains(verdict) else { return }
      eraseBar(state)
      try Output.text(file.line(verbose: verbose))
    }
  }

  /// Ends the bar, and prints the totals.
  func finish() throws(StoreError) {
    try state.withLock { state throws(StoreError) in
      eraseBar(state)
      state.isFinished = true
      let seconds = (ContinuousClock.now - state.began) / .seconds(1)
      let files = state.counts.values.reduce(0, +)
      let counts = InspectedFile.Verdict.allCases.map { ($0, state.counts[$0] ?? 0) }
      if json {
        let totals: JSON = ["event": "summary", "files": files]
        return try Output.line(
          totals.adding(counts.map { JSON.Member($0.rawValue, $1) })
            .adding(["bytesRead": state.bytes, "seconds": seconds.milliseconds]).line)
      }
      if quiet { return }
      let list = counts.filter { $1 > 0 }.map { L10n.words(Self.text(of: $0), count: $1) }
      try Output.text(
        L10n.words(
          "import.totals.files", count: files,
          [
            "list": list.isEmpty
              ? L10n.words("inspect.count.none") : list.joined(separator: ", ")
          ]) + " "
          + L10n.words(
            "inspect.totals.work",
            ["read": Amounts.size(state.bytes), "time": Amounts.duration(seconds)]))
    }
  }

  /// The exit code: 65 if a file is damaged, else that of the first file that couldn't be inspected.
  var exitCode: Int32 {
    state.withLock { $0.counts[.damaged] == nil ? $0.failure : 65 }
  }

  private func eraseBar(_ state: borrowing State) {
    if showsProgress, !state.isFinished { Output.raw("\r\u{1B}[K") }
  }

  private static func text(of verdict: InspectedFile.Verdict) -> TextKey {
    TextKey(rawValue: "inspect.count.\(verdict.rawValue)")
  }
}

extension InspectedFile {
  /// The documented line for one file: the object of a photo or of an error, with `verdict`.
  fileprivate var json: JSON {
    let verdict: JSON.Members = ["verdict": verdict.rawValue]
    switch result {
    case .photo(let inspection): return inspection.json(path: path).adding(verdict)
    case .refused(.photo(let error)):
      return Failure(StoreError(error), about: path).json.adding(verdict)
    case .refused(let refusal):
      let error: JSON = [
        "path": DisplayText.verbatim(path), "code": refusal.code,
        "message": refusal.sentence(about: path), "detected": refusal.detected,
      ]
      let line: JSON = ["error": error]
      return line.adding(verdict)
    }
  }

  /// Returns a text for people: why a file isn't a whole photo, what a lossy photo would lose, or a whole photo's
  /// description.
  fileprivate func line(verbose: Bool) -> String {
    switch result {
    case .refused(let refusal): refusal.sentence(about: path)
    case .photo(let inspection) where verdict != .whole && !verbose:
      L10n.words(
        "inspect.lossy",
        [
          "file": DisplayText.path(path),
          "losses": inspection.plan.losses.map(Normalization.lossWords).joined(separator: ", "),
        ])
    case .photo(let inspection):
      inspection.report(path: path, verbose: verbose, on: .standardOutput())
    }
  }
}
