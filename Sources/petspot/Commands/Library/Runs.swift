import ArgumentParser
import PetSpotStores
import PhotoAttachments
import PhotoIngestion
import ReportFlow

/// `petspot runs`: the group of commands for past and running imports.
struct Runs: ParsableCommand {
  static let configuration = CommandConfiguration(
    named: "runs", "help.runs.abstract", "help.runs.discussion",
    examples: """
      petspot runs
      petspot runs 3 --json | jq .imported
      petspot runs undo 3
      """,
    subcommands: [RunsList.self, RunsUndo.self], defaultSubcommand: RunsList.self)
}

/// `petspot runs list`: prints imports into the library, the newest first.
struct RunsList: PetspotCommand {
  static let configuration = CommandConfiguration(
    named: "list", "help.runs.abstract",
    examples: """
      petspot runs
      petspot runs 3
      """)

  @Argument(help: .words("help.runs.id", "id"))
  var id: Int64?

  @OptionGroup var options: GlobalOptions

  func run() throws {
    let stores = try options.openStoresIfThere()
    let shared = try stores?.runs?.facts(of: id) ?? []
    let known = Set(shared.map(\.id))
    let others = try stores?.photos.libraryRuns(id).filter { !known.contains($0.id) } ?? []
    let found =
      shared.map { ($0.id, $0.json, id == nil ? $0.sentence : $0.sentences) }
      + others.map { ($0.id, $0.json, $0.sentence) }
    if let id, found.isEmpty { throw Failure(noRun: id) }
    for (_, json, text) in found.sorted(by: { $0.0 > $1.0 }) {
      try options.print(json, orText: text)
    }
    if found.isEmpty { try options.say(L10n.words("runs.none")) }
  }
}

/// `petspot runs undo`: forgets the photos of one import.
struct RunsUndo: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    named: "undo", "help.runs.undo.abstract", "help.runs.undo.discussion",
    examples: """
      petspot runs undo 3
      petspot runs undo 3 --yes
      petspot runs undo 3 --only-copies
      """)

  @Argument(help: .words("help.runs.id", "id"))
  var id: Int64

  @Flag(help: .words("help.runs.undo.yes"))
  var yes = false

  @Flag(help: .words("help.forget.onlyCopies"))
  var onlyCopies = false

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if !yes, !Terminal.isInteractive { throw ValidationError(text: "usage.undoNeedsYes") }
  }

  func run() async throws {
    let photos = try options.openStoresIfThere()?.photos
    guard let photos, let run = try photos.libraryRuns(id).first else {
      throw Failure(noRun: id)
    }
    try OnlyCopyWords.check(
      photos.onlyCopies(run: id), of: photos, allowed: onlyCopies, json: options.json)
    let names = ReadableText.escaped(run.names.joined(separator: " "))
    let question = L10n.words("runs.undo.ask", count: run.photos, ["names": names])
    if !yes { try SourceConsent.askAtTerminal(question) }
    let forgotten = try await photos.forget(run: id, onlyCopies: onlyCopies)
    let kept = forgotten.drafts.map {
      L10n.words("forget.reportKept", ["name": DisplayText.name($0)])
    }
    try options.print(
      ["id": Int(id), "forgotten": forgotten.photos, "drafts": forgotten.drafts],
      orText: L10n.words("runs.undo.done", count: forgotten.photos) + kept.joined())
  }
}

extension Failure {
  fileprivate init(noRun id: Int64) {
    self.init(
      code: "unknown-run", message: L10n.words("usage.noSuchRun", ["id": "\(id)"]), exitCode: 66)
  }
}
