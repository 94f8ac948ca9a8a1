import ArgumentParser
import PetSpotStores
import PhotoAttachments
import ReportFlow

struct Runs: PetspotCommand {
  static let configuration = CommandConfiguration(
    "help.runs.abstract", "help.runs.discussion",
    examples: """
      petspot runs
      petspot runs 3 --json | jq .secondsLeft
      """)

  @Argument(help: .words("help.runs.id", "id"))
  var id: Int64?

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if options.database == nil {
      throw ValidationError(
        text: "usage.optionNeeds", ["one": "petspot runs", "other": "--database"])
    }
  }

  func run() throws {
    let found = try options.openStores(decoders: nil).runs?.facts(of: id) ?? []
    for run in found {
      try options.print(run.json, orText: id == nil ? run.sentence : run.sentences)
    }
    if let id, found.isEmpty {
      throw ReportFailure(
        code: "unknown-run",
        message: L10n.words("usage.noSuchRun", ["id": "\(id)"]),
        exitCode: 66)
    }
    if found.isEmpty, !options.json, !options.quiet {
      try Output.line(L10n.words("runs.none"))
    }
  }
}
