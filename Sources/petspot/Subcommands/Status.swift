import PetSpotStores
import ArgumentParser
import PhotoAttachments

struct Status: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the attached photo's confirmation card.",
    discussion: """
      A photo whose file is gone or damaged counts as none and is named with what is wrong; its record \
      stays, and the photo is there again as soon as its file is.

      EXAMPLES:
        petspot status
        petspot status --draft 17 --json
      """)

  @OptionGroup var draft: DraftOptions
  @OptionGroup var options: GlobalOptions

  func run() throws {
    let cache = try options.openStores().photos
    let look = try cache.look(draft: draft.id)
    try options.print(
      look.json,
      orText: look.card(verbose: options.verbose, on: .standardOutput(), in: options.words))
  }
}
