import ArgumentParser
import PetSpotStores
import PhotoAttachments

struct Runs: PetspotCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(
      en: "List imports that workers share, newest first.",
      pl: "Wypisz importy dzielone między maszyny, najnowsze pierwsze."),
    discussion: HelpText.text(
      en: """
        Shows how far each run is, what its files came to, how long it may still take, and who works on \
        it; with ID that run alone, with its workers. Counts stay for 90 days.
        """,
      pl: """
        Pokazuje postęp każdego importu, wynik jego plików, pozostały czas i kto nad nim pracuje; z ID tylko \
        ten import, z jego maszynami. Liczby są przechowywane 90 dni.
        """,
      examples: """
        petspot runs
        petspot runs 3 --json | jq .secondsLeft
        """))

  @Argument(
    help: ArgumentHelp(
      Speech.pick(en: "The number of a run.", pl: "Numer importu."), valueName: "id"))
  var id: Int64?

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if options.database == nil { throw UsageWords.needing("petspot runs", "--database") }
  }

  func run() throws {
    let found = try options.openStores(decoders: nil).runs?.facts(of: id) ?? []
    for run in found {
      try options.print(run.json, orText: id == nil ? run.sentence : run.sentences)
    }
    if let id, found.isEmpty {
      throw ReportFailure(
        code: "unknown-run",
        message: Speech.pick(
          en: "There is no run \(id). See the runs there are with: petspot runs",
          pl: "Nie ma importu \(id). Listę pokaże: petspot runs"),
        exitCode: 66)
    }
    if found.isEmpty, !options.json, !options.quiet {
      try Output.line(Speech.pick(en: "No runs.", pl: "Brak importów."))
    }
  }
}
