import PetSpotStores
import ArgumentParser
import PhotoAttachments
import ReportFlow

struct Remove: PetspotCommand, AsyncParsableCommand {
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

  func run() async throws {
    let stores = try options.openStores()
    if try await stores.drafts.isSubmitted(draft.id) {
      // Done already is success; what became of the photo is told all the same.
      return try options.print(
        PhotoAttachmentStatus.empty.json, orText: options.words(.flowPhotoIsAnnounced))
    }
    try await stores.photos.clear(draft: draft.id)
    await stores.keepPlace(of: nil, draft: draft.id)
    let status = try await stores.photos.status(draft: draft.id)
    try options.print(
      status.json,
      orText: status.card(verbose: options.verbose, on: .standardOutput(), in: options.words))
  }
}
