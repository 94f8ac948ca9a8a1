import PetSpotStores
import ArgumentParser
import PhotoAttachments

struct Status: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(
      en: "Show the attached photo's confirmation card.", pl: "Pokaż, jakie zdjęcie jest dodane."),
    discussion: HelpText.text(
      en: """
        A photo whose file is gone or damaged counts as none and is named with what is wrong; its record \
        stays, and the photo is there again as soon as its file is.
        """,
      pl: """
        Zdjęcie, którego pliku nie ma lub jest uszkodzony, liczy się jako brak i mówimy, co mu jest; jego wpis \
        zostaje, a zdjęcie wraca, gdy tylko wróci jego plik.
        """,
      examples: """
        petspot status
        petspot status --draft 17 --json
        """))

  @OptionGroup var draft: DraftOptions
  @OptionGroup var options: GlobalOptions

  func run() throws {
    guard let cache = try options.openStoresIfThere()?.photos else {
      let status = PhotoAttachmentStatus.empty
      return try options.print(
        status.json,
        orText: status.card(verbose: false, on: .standardOutput(), in: options.words))
    }
    let look = try cache.look(draft: draft.id)
    try options.print(
      look.json,
      orText: look.card(verbose: options.verbose, on: .standardOutput(), in: options.words))
  }
}
