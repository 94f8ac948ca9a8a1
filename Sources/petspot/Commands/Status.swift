import PetSpotStores
import ArgumentParser
import PhotoAttachments
import ReportFlow

/// `petspot status`: prints the photo of a draft.
struct Status: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.status.abstract", "help.status.discussion",
    examples: """
      petspot status
      petspot status --draft 17 --json
      """)

  @OptionGroup var draft: DraftOptions
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    guard let cache = try options.openStoresIfThere()?.photos else {
      return try options.print(.empty)
    }
    let snapshot = try await cache.snapshot(draft: draft.id)
    try options.print(
      snapshot.json, orText: snapshot.card(verbose: options.verbose, on: .standardOutput()))
  }
}

extension GlobalOptions {
  /// Prints the status of a draft's photo.
  func print(_ status: PhotoAttachmentStatus) throws(StoreError) {
    try print(status.json, orText: status.card(verbose: verbose, on: .standardOutput()))
  }
}
