import PetSpotStores
import Announcements
import ArgumentParser
import Foundation
import PhotoAttachments
import ReportFlow

struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: Speech.pick(en: "Report a missing pet.", pl: "Zgłoś zaginięcie zwierzęcia."),
    discussion: HelpText.text(
      en: """
        Without a further word this is a conversation in four steps: microchip, photo, description, \
        contact. Stop whenever you like and take it up again later. The subcommands do the same for \
        scripts; each of the first four is that step's Continue.

        The conversation takes --draft ID, --lang en|pl, --position LAT,LON, --server URL and --cache \
        DIR; see petspot report talk --help.
        """,
      pl: """
        Bez dalszego słowa to rozmowa w czterech krokach: mikroczip, zdjęcie, opis, kontakt. Przerwij, kiedy \
        chcesz, i wróć do niej później. Polecenia poniżej robią to samo w skryptach; każde z pierwszych \
        czterech jest przyciskiem Dalej swojego kroku.

        Rozmowa ma opcje --draft ID, --lang en|pl, --position SZER,DŁ, --server URL i --cache DIR; zob. \
        petspot report talk --help.
        """,
      examples: """
        petspot report
        petspot report --lang pl --draft burek
        petspot report photo rex.heic --json
        petspot report submit
        """),
    subcommands: [
      ReportConversation.self, ReportChip.self, ReportPhoto.self, ReportDescribe.self,
      ReportContact.self, ReportSubmit.self, ReportStatus.self, ReportClear.self,
    ], defaultSubcommand: ReportConversation.self)
}

struct ReportChip: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "chip",
    abstract: Speech.pick(
      en: "Step 1: the microchip's number, which may be left out.",
      pl: "Krok 1: numer mikroczipu; można go pominąć."),
    discussion: HelpText.examples(
      """
      petspot report chip --number 616-093-900-012-345
      """))

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      Speech.pick(
        en: "Up to 15 digits; what else is in it is left out, and told.",
        pl: "Najwyżej 15 cyfr; o tym, co pominięto, dowiesz się."), valueName: "text"),
    transform: RawArguments.text)
  var number: String?

  @OptionGroup var report: ReportOptions

  func perform(in session: ReportSession) throws {
    try session.checkEditable()
    let model = session.coordinator().makeChipNumber()
    let outcome = session.flow.together {
      if let number { model.chipNumber = number }
      return model.continueTapped()
    }
    try session.tell(.chip, outcome, adjusted: Adjustment.of(.chip, number ?? ""))
  }
}

struct ReportStatus: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: Speech.pick(
      en: "Show the whole report as it stands.", pl: "Pokaż całe zgłoszenie w obecnym stanie."),
    discussion: HelpText.examples(
      """
      petspot report status --json
      """))

  @OptionGroup var report: ReportOptions

  @MainActor func perform() async throws {
    guard let stores = try options.openStoresIfThere() else {
      return try tell(ReportDraft(id: report.draft.id, submissionKey: UUID()), .empty)
    }
    try perform(in: ReportSession(report, stores: stores))
  }

  func perform(in session: ReportSession) throws {
    try tell(session.flow.draft, session.flow.photoStatus)
  }

  private func tell(_ draft: ReportDraft, _ photo: PhotoAttachmentStatus) throws {
    try options.print(
      draft.json(photo: photo), orText: ReportDraft.text(of: draft.lines(with: photo, in: words)))
  }
}

struct ReportClear: ReportCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear",
    abstract: Speech.pick(
      en: "Empty the report and remove its photo.", pl: "Wyczyść zgłoszenie i usuń jego zdjęcie."),
    discussion: HelpText.text(
      en: """
        An announcement that was published stays, see petspot announcements close and erase; when its \
        code was never shown, it is shown now. What was not published yet is taken back.
        """,
      pl: """
        Opublikowane ogłoszenie pozostaje, zob. petspot announcements close i erase; jeśli jego kodu nigdy \
        nie pokazano, pokazujemy go teraz. To, czego jeszcze nie opublikowano, zostaje wycofane.
        """,
      examples: """
        petspot report clear
        """))

  @Flag(
    help: Speech.pick(
      en: "Also a report that cannot be read, whatever was in it.",
      pl: "Także zgłoszenie, którego nie da się odczytać."))
  var force = false

  @OptionGroup var report: ReportOptions

  func perform() async throws {
    do {
      try await perform(in: ReportSession(report))
    } catch StoreError.database(what: let what, _)
      where force && ["damaged-draft", "newer-draft"].contains(what)
    {
      let stores = try options.openStores()
      try await stores.photos.clear(draft: report.draft.id)
      try await stores.drafts.delete(report.draft.id)
      try tell(nil)
    }
  }

  func perform(in session: ReportSession) async throws {
    let stays = try await session.submission.discard(session.flow)
    // What cannot be shown again is shown whatever else went wrong.
    try tell(stays)
    try session.checkSaved()
  }

  private func tell(_ stays: CreatedAnnouncement?) throws {
    var answer: JSON = ["draft": .string(report.draft.id), "cleared": true]
    var lines = [words(.flowCleared)]
    if let stays, let password = stays.managementPassword {
      answer = answer.adding([
        "announcement": stays.announcement.json, "managementPassword": .string(password),
      ])
      lines += [
        words(.flowClearedButListed), words(.statusPassword) + ": " + password,
        words(.statusAnnouncement) + ": " + stays.announcement.id,
      ]
    }
    if options.json { return try Output.line(answer.line) }
    if !options.quiet || stays != nil { try Output.text(lines.joined(separator: "\n")) }
  }
}
