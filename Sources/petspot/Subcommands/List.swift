import PetSpotStores
import ArgumentParser
import PhotoAttachments

struct List: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(
      en: "List the photos there are, newest first.", pl: "Wypisz zapisane zdjęcia od najnowszych."),
    discussion: HelpText.text(
      en:
        "Shows the beginning of each id, which every command accepts; --verbose shows whole ids and names.",
      pl:
        "Pokazuje początek każdego identyfikatora, który przyjmuje każde polecenie; --verbose pokazuje całe "
        + "identyfikatory i nazwy.",
      examples: """
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
    let isWhole = options.verbose
    if !photos.isEmpty, !options.json, !options.quiet {
      try Output.line(terminal.dim(PhotoAttachmentMetadata.rowHeader(isWhole: isWhole)))
    }
    for photo in photos {
      try options.print(photo.json, orText: photo.row(on: terminal, isWhole: isWhole))
    }
    if photos.isEmpty, !options.json, !options.quiet {
      try Output.line(Speech.pick(en: "No photos.", pl: "Brak zdjęć."))
    }
  }
}
