import ArgumentParser
import PhotoAttachments

struct Status: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show the attached photo's confirmation card.",
    discussion: """
      EXAMPLES:
        petspot status
        petspot status --draft 17 --json
      """)

  @OptionGroup var draft: DraftOptions
  @OptionGroup var options: GlobalOptions

  func run() throws {
    let cache = try options.openCache()
    let status = try cache.status(draft: draft.id)
    let failure = try cache.failure(draft: draft.id)
    let last: KeyValuePairs<String, JSON> = failure.map { ["lastFailure": .string($0)] } ?? [:]
    let note = failure.map { "\n  the last try ended with: \($0)" } ?? ""
    try options.print(
      status.json.adding(last),
      orText: status.card(verbose: options.verbose, on: .standardOutput()) + note)
  }
}
