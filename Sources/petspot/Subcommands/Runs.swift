import ArgumentParser
import PetSpotStores
import PhotoAttachments

struct Runs: PetspotCommand {
  static let configuration = CommandConfiguration(
    .runsAbstract, .runsHelp,
    examples: """
      petspot runs
      petspot runs 3 --json | jq .secondsLeft
      """)

  @Argument(help: .words(.runsId, "id"))
  var id: Int64?

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if options.database == nil { throw ValidationError(.optionNeeds("petspot runs", "--database")) }
  }

  func run() throws {
    let found = try options.openStores(decoders: nil).runs?.facts(of: id) ?? []
    for run in found {
      try options.print(run.json, orText: id == nil ? run.sentence : run.sentences)
    }
    if let id, found.isEmpty {
      throw ReportFailure(
        code: "unknown-run",
        message: L10n.words(.noSuchRun(id: id)),
        exitCode: 66)
    }
    if found.isEmpty, !options.json, !options.quiet {
      try Output.line(L10n.words(.noRuns))
    }
  }
}
