import ArgumentParser
import Foundation
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import Synchronization

struct Worker: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(
      en: "Work on imports that were begun with --distribute.",
      pl: "Pracuj nad importami rozpoczętymi z --distribute."),
    discussion: HelpText.text(
      en: """
        Takes parts of runs whose folders are to be seen from here, under the same path, and imports \
        them like petspot import. Start as many as there are machines, or more. Ctrl-C or SIGTERM ends \
        what is in flight, within 20 s, and gives the rest of the part back. A worker that is killed \
        loses its part to another one after half a minute; nothing is counted twice.
        """,
      pl: """
        Bierze części importów, których foldery są stąd widoczne pod tą samą ścieżką, i importuje je jak \
        petspot import. Uruchom ich tyle, ile jest maszyn, lub więcej. Ctrl-C lub SIGTERM kończy to, co jest \
        w toku, w ciągu 20 s, i oddaje resztę części. Zabity proces traci swoją część po pół minucie na rzecz \
        innego; nic nie jest liczone dwa razy.
        """,
      examples: """
        petspot worker --database postgresql://petspot@db/petspot --blobs s3://pets
        petspot worker --once
        """))

  @OptionGroup var parallel: JobsOption

  @Flag(
    help: Speech.pick(
      en: "End as soon as there is nothing left to do.",
      pl: "Zakończ, gdy nie ma już nic do zrobienia."))
  var once = false

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    try options.checkShared(for: "petspot worker")
  }

  func run() async throws {
    let bench = try ImportBench(jobs: parallel.jobs, options, patience: 60)
    guard let runs = bench.stores.runs else {
      throw UsageWords.needing("petspot worker", "--database")
    }
    let blobs = options.blobs
    let worker = PartWorker(
      bench.stores.photos, pipeline: bench.pipeline, runs: runs, name: Self.name,
      lease: Self.lease
    ) { address throws(StoreError) in try Stores.source(address, beside: blobs) }
    let (once, teller) = (once, PartTeller(options))
    try await Interruption.cancelling(telling: { Self.endSoon(worker) }) {
      () async throws(StoreError) in
      try await worker.work(once: once) { report, failure throws(StoreError) in
        try teller.tell(report, failure)
      }
    }
    try teller.finish()
  }

  /// This process, for people.
  private static var name: String { "\(ProcessInfo.processInfo.hostName):\(getpid())" }

  /// Seconds without a sign of life after which others take a part: 30, or `PETSPOT_LEASE_SECONDS`.
  private static var lease: Double {
    let named = getenv("PETSPOT_LEASE_SECONDS").flatMap { Double(String(cString: $0)) }
    return named.map { min(max($0, 0.5), 3600) } ?? 30
  }

  /// What is in flight after 18 s is given up: nothing of it can be recorded once the part is given back.
  private static func endSoon(_ worker: PartWorker) {
    Thread.detachNewThread {
      Thread.sleep(forTimeInterval: 18)
      Thread.detachNewThread { worker.abandon() }
      Thread.sleep(forTimeInterval: 1)
      Output.note(
        "petspot: "
          + Speech.words.pick(
            en: "What was in flight took too long and was given back.",
            pl: "To, co było w toku, trwało zbyt długo i zostało oddane."))
      _exit(0)
    }
  }
}

/// Tells of the parts that a worker has worked on.
private final class PartTeller: Sendable {
  private let options: GlobalOptions
  private let sums = Mutex((parts: 0, files: 0))

  init(_ options: GlobalOptions) { self.options = options }

  func tell(_ report: PartWorker.Report, _ failure: StoreError?) throws(StoreError) {
    if report.end != .lost, report.end != .failed {
      sums.withLock { $0 = ($0.parts + 1, $0.files + report.summary.files) }
    }
    try options.print(report.json, orText: report.sentence)
    if let failure { Output.note("petspot: " + failure.sentence(about: nil)) }
  }

  func finish() throws(StoreError) {
    let (parts, files) = sums.withLock { $0 }
    try options.print(
      ["event": "end", "parts": .int(parts), "files": .int(files)],
      orText: Speech.pick(
        en: "Worked on \(Words.number(parts)) part\(parts == 1 ? "" : "s") with "
          + "\(Words.number(files)) file\(files == 1 ? "" : "s").",
        pl: "Przerobiono: części \(Words.number(parts)), pliki \(Words.number(files))."))
  }
}
