import PetSpotStores
import ArgumentParser
import PhotoAttachments

struct Remove: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: "Remove the attached photo; done already is success.",
    discussion: """
      Removes our copy; the original file is never touched.

      EXAMPLES:
        petspot remove
        petspot remove --draft 17
      """)

  @OptionGroup var draft: DraftOptions
  @OptionGroup var options: GlobalOptions

  func run() throws {
    let cache = try options.openStores().photos
    try cache.clear(draft: draft.id)
    let status = try cache.status(draft: draft.id)
    try options.print(
      status.json, orText: status.card(verbose: options.verbose, on: .standardOutput()))
  }
}
