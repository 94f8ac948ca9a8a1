import PetSpotStores
import ArgumentParser
import PhotoAttachments
import ReportFlow

/// `petspot continue`: checks that a draft has a valid photo. Exits with 65 if it doesn't.
struct Continue: PetspotCommand, AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    "help.continue.abstract", "help.continue.discussion",
    examples: """
      petspot continue && echo "on to the description"
      """)

  @OptionGroup var draft: DraftOptions
  @OptionGroup var options: GlobalOptions

  func run() async throws {
    // The toast of seed 028 (FR-004, decision 8).
    let toast = L10n.words("photo.mandatory")
    let cache = try options.openStoresIfThere()?.photos
    let snapshot = try await cache?.snapshot(draft: draft.id)
    guard let cache, case .confirmed? = snapshot?.status else {
      if options.json {
        let answer: JSON = ["canContinue": false, "toast": toast]
        try Output.line(answer.adding(snapshot?.invalid?.members ?? [:]).line)
      }
      let reason = snapshot?.invalid?.sentence ?? L10n.words("continue.missing")
      Output.printNote("petspot: \(toast). \(reason)")
      throw ExitCode(65)
    }
    try await cache.keepAlive(draft: draft.id)
    try options.print(["canContinue": true], orText: L10n.words("continue.fine"))
  }
}
