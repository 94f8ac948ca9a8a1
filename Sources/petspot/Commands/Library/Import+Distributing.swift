import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import Synchronization
import ReportFlow

/// `import --distribute`: records an import as a run in the database, and follows it while `petspot worker` processes
/// import the files.
extension Import {
  /// Checks that the options can be combined.
  func validateDistribution() throws {
    guard distribute else { return }
    for (option, isGiven) in [("--jobs", parallel.jobs != nil), ("--dry-run", dryRun)] {
      try ValidationError.rejectBoth("--distribute", true, option, isGiven)
    }
    try options.checkShared(for: "--distribute")
  }

  /// Follows the run to its end. If this process is interrupted, workers continue without it.
  func runDistributed() async throws {
    try checkConsent()
    let stores = try options.openStores(
      pool: WorkerPool(threadCount: 1), decoding: .inProcess, timeout: 60)
    guard let runs = stores.runs else {
      throw ValidationError(
        text: "usage.optionNeeds", ["one": "--distribute", "other": "--database"])
    }
    let cache = stores.photos
    let importer = PhotoImporter(
      cache: cache, pipeline: PhotoPipeline(policy: cache.policy, decoding: .inProcess),
      options: importOptions)
    let paths = paths
    let source = try source()
    let names = heading.folders
    let follower = try about(moveSource) { () throws(StoreError) in
      try importer.follower(of: runs, paths, in: source)
    }
    let stopped = StopFlag()
    let run = try await Interruption.withStop(stopped, on: cache.threads) {
      try importer.enlist(
        paths, from: source, names: names, partSize: Self.partSize, in: runs
      ) { stopped.isSet }
    }
    let output = try output(for: cache, isDistributed: true)
    output.drawProgress()
    defer { output.close() }
    let monitor = WorkerMonitor(output)
    let summary = try await Interruption.withCancellation { () async throws(StoreError) in
      try await follower.follow(
        run, onFacts: { monitor.check($0) },
        onFile: { file in try output.report(file) })
    }
    try output.finish(summary, place: place)
    if summary.stopped != nil {
      Output.printNote(text: "import.workersContinue", ["run": "\(run)"])
      throw ExitCode(StoreError.cancelled.exitCode)
    }
    if output.hasRefusedSources { throw ExitCode(74) }
    if summary.failed > 0 { throw ExitCode(65) }
  }

  /// The number of files per part, which one worker processes at a time. `PETSPOT_PART_FILES` changes it for tests and
  /// very large photos.
  private static var partSize: Int {
    let named = getenv("PETSPOT_PART_FILES").flatMap { Int(String(cString: $0)) }
    return named.map { min(max($0, 1), 10_000) } ?? PhotoImporter.partSize
  }
}

/// Reports once that no worker is active, after a run has had none for more than five seconds.
private final class WorkerMonitor: Sendable {
  private let output: ImportOutput
  private let idleSince = Mutex<ContinuousClock.Instant?>(nil)
  private let isSaid = StopFlag()

  init(_ output: ImportOutput) { self.output = output }

  func check(_ facts: RunFacts) {
    if facts.state != .listing { output.expect(facts.inputs) }
    let isIdle = facts.state == .working && !facts.workers.contains(where: \.isAlive)
    let isLong = idleSince.withLock { since in
      since = isIdle ? since ?? .now : nil
      return since.map { .now - $0 > .seconds(5) } ?? false
    }
    guard isLong, !isSaid.isSet else { return }
    isSaid.set()
    output.remark(L10n.words("import.noWorker", ["id": "\(facts.id)"]))
  }
}

extension GlobalOptions {
  /// Throws unless both stores are shared, which is required if several machines work together.
  func checkShared(for name: String) throws {
    try ValidationError.require("--database", database != nil, for: name, true)
    try ValidationError.require("--blobs", blobs != nil, for: name, true)
  }
}
