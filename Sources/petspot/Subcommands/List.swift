import PetSpotStores
import ArgumentParser
import PhotoAttachments

struct List: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(
      en: "List the photos there are, newest first.", pl: "Wypisz zapisane zdjęcia od najnowszych."),
    discussion: HelpText.examples(
      """
      petspot list --limit 20
      petspot list --json | jq -r .id
      """))

  @Option(
    help: ArgumentHelp(
      Speech.pick(en: "Show at most this many.", pl: "Pokaż najwyżej tyle."), valueName: "n"))
  var limit: Int?

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if let limit, limit < 1 { throw UsageWords.atLeastOne("--limit") }
  }

  func run() throws {
    let photos = try options.openStoresIfThere()?.photos.photos(limit: limit ?? .max) ?? []
    let terminal = Terminal.standardOutput()
    for photo in photos { try options.print(photo.json, orText: photo.row(on: terminal)) }
    if photos.isEmpty, !options.json, !options.quiet {
      try Output.line(Speech.pick(en: "No photos.", pl: "Brak zdjęć."))
    }
  }
}
