import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
import Synchronization
import ReportFlow

/// `petspot worker`: processes parts (groups of files) of distributed imports until it is stopped. With `--once`, it
/// stops when no part is left.
struct Worker: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.worker.abstract", "help.worker.discussion",
    examples: """
      petspot worker --database postgresql://petspot@db/petspot --blobs s3://pets
      petspot worker --once
      """)

  @OptionGroup var parallel: JobsOption

  @Flag(help: .words("help.worker.once"))
  var once = false

  @OptionGroup var options: GlobalOptions

  func validate() throws { try options.checkShared(for: "petspot worker") }

  func run() async throws {
    let setup = try ImportSetup(jobs: parallel.jobs, options, timeout: 60)
    guard let runs = setup.stores.runs else {
      throw ValidationError(
        text: "usage.optionNeeds", ["one": "petspot worker", "other": "--database"])
    }
    let blobs = options.blobs
    let worker = PartWorker(
      setup.stores.photos, pipeline: setup.pipeline, runs: runs, name: Self.name,
      lease: Self.lease
    ) { address in try Stores.source(address, beside: blobs) }
    let once = once
    let output = PartOutput(options)
    try await Interruption.withCancellation(onInterrupt: { Self.endSoon(worker) }) {
      () async throws(StoreError) in
      try await worker.work(once: once) { report, failure in
        try output.report(report, failure)
      }
    }
    try output.finish()
  }

  /// The name of this process for people.
  private static var name: String { "\(ProcessInfo.processInfo.hostName):\(getpid())" }

  /// The seconds without a heartbeat after which another worker takes over a part: 30, or `PETSPOT_LEASE_SECONDS`.
  private static var lease: Double {
    let named = getenv("PETSPOT_LEASE_SECONDS").flatMap { Double(String(cString: $0)) }
    return named.map { min(max($0, 0.5), 3600) } ?? 30
  }

  /// Ends the process at most 19 s after an interruption. Abandons unfinished work after 18 s, because it can't be
  /// recorded once the part is given back.
  private static func endSoon(_ worker: PartWorker) {
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 18)
      Thread.detachNewThread { worker.abandon() }
      Thread.sleep(forTimeInterval: 1)
      Output.printNote(text: "worker.returned")
      _exit(0)
    }
  }
}

/// Prints the parts that a worker has processed, and the totals.
private final class PartOutput: Sendable {
  private let options: GlobalOptions
  private let sums = Mutex((parts: 0, files: 0))

  init(_ options: GlobalOptions) { self.options = options }

  func report(_ report: PartWorker.Report, _ failure: StoreError?) throws(StoreError) {
    if report.end != .lost, report.end != .failed {
      sums.withLock { $0 = ($0.parts + 1, $0.files + report.summary.files) }
    }
    try options.print(report.json, orText: report.sentence)
    if let failure { Output.printNote("petspot: " + failure.sentence(about: nil)) }
  }

  func finish() throws(StoreError) {
    let (parts, files) = sums.withLock { $0 }
    try options.print(
      ["event": "end", "parts": parts, "files": files],
      orText: L10n.words(
        "worker.done",
        [
          "parts": L10n.words("count.parts", count: parts),
          "files": L10n.words("count.files", count: files),
        ]))
  }
}
