import PetSpotStores
import ArgumentParser
import PhotoAttachments
import ReportFlow

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
      let status = PhotoAttachmentStatus.empty
      return try options.print(
        status.json,
        orText: status.card(verbose: false, on: .standardOutput(), in: options.words))
    }
    let snapshot = try await cache.snapshot(draft: draft.id)
    try options.print(
      snapshot.json,
      orText: snapshot.card(verbose: options.verbose, on: .standardOutput(), in: options.words))
  }
}
