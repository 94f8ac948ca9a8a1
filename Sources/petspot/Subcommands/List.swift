import PetSpotStores
import ArgumentParser
import PhotoAttachments
import ReportFlow

struct List: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.list.abstract", "help.list.discussion",
    examples: """
      petspot list --limit 20
      petspot list --json | jq -r .id
      """)

  @Option(help: .words("help.announcements.list.limit", "n"))
  var limit: Int?

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if let limit, limit < 1 {
      throw ValidationError(text: "usage.optionBelowOne", ["option": "--limit"])
    }
  }

  func run() async throws {
    let photos = try await options.openStoresIfThere()?.photos.photos(limit: limit ?? .max) ?? []
    let terminal = Terminal.standardOutput()
    let verbose = options.verbose
    if !photos.isEmpty, !options.json, !options.quiet {
      try Output.line(terminal.dim(PhotoAttachmentMetadata.rowHeader(verbose: verbose)))
    }
    for photo in photos {
      try options.print(photo.json, orText: photo.row(on: terminal, verbose: verbose))
    }
    if photos.isEmpty, !options.json, !options.quiet {
      try Output.line(L10n.words("photos.none"))
    }
  }
}
