import PetSpotStores
import ArgumentParser
import PhotoAttachments
import ReportFlow

struct Continue: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(
      en: "Leave the photo step: succeeds with a valid photo.",
      pl: "Zakończ krok ze zdjęciem; udaje się, gdy zdjęcie jest w porządku."),
    discussion: HelpText.text(
      en: """
        Exits 0 when a photo is attached and its file holds what was stored, else 65.
        """,
      pl: """
        Kończy się kodem 0, gdy zdjęcie jest dodane i jego plik jest taki, jaki zapisano, w innym razie 65.
        """,
      examples: """
        petspot continue && echo "on to the description"
        """))

  @OptionGroup var draft: DraftOptions
  @OptionGroup var options: GlobalOptions

  func run() throws {
    let words = options.words
    // The toast of seed 028 (FR-004, decision 8).
    let toast = words(.photoMandatory)
    let cache = try options.openStoresIfThere()?.photos
    let look = try cache?.look(draft: draft.id)
    guard let cache, case .confirmed? = look?.status else {
      if options.json {
        let answer: JSON = ["canContinue": false, "toast": .string(toast)]
        try Output.line(answer.adding(look?.invalid?.members ?? [:]).line)
      }
      let reason =
        look?.invalid?.sentence(in: words)
        ?? words.pick(
          en: "Attach one with: petspot attach FILE", pl: "Dodaj je poleceniem: petspot attach PLIK"
        )
      Output.note("petspot: \(toast). \(reason)")
      throw ExitCode(65)
    }
    try cache.touch(draft: draft.id)
    try options.print(
      ["canContinue": true],
      orText: words.pick(
        en: "The photo is fine. On to the description.",
        pl: "Zdjęcie jest w porządku. Dalej: opis zwierzęcia."))
  }
}
