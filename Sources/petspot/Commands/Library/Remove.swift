import PetSpotStores
import ArgumentParser
import PhotoAttachments
import ReportFlow

/// `petspot remove`: removes the photo of a draft.
struct Remove: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.remove.abstract", "help.remove.discussion",
    examples: """
      petspot remove
      petspot remove --draft 17
      """)

  @OptionGroup var draft: DraftOptions
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    guard let stores = try options.openStoresIfThere() else {
      return try options.print(.empty)
    }
    if try await stores.drafts.isSubmitted(draft.id) {
      // Succeeds even without a photo. The text explains that the photo belongs to the announcement.
      return try options.print(
        PhotoAttachmentStatus.empty.json, orText: L10n.words("flow.photoIsAnnounced"))
    }
    let kept = try await stores.photos.remove(draft: draft.id)
    await stores.keepPlace(of: nil, draft: draft.id)
    if let kept { throw Failure(kept) }
    try options.print(try await stores.photos.status(draft: draft.id))
  }
}
