import PetSpotStores
import ArgumentParser
import PhotoAttachments

struct List: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: "List the photos there are, newest first.",
    discussion: """
      EXAMPLES:
        petspot list --limit 20
        petspot list --json | jq -r .id
      """)

  @Option(help: ArgumentHelp("Show at most this many.", valueName: "n"))
  var limit: Int?

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit has to be 1 or more.") }
  }

  func run() throws {
    let photos = try options.openStores().photos.photos(limit: limit ?? .max)
    let terminal = Terminal.standardOutput()
    for photo in photos { try options.print(photo.json, orText: photo.row(on: terminal)) }
    if photos.isEmpty, !options.json, !options.quiet { try Output.line("No photos.") }
  }
}
