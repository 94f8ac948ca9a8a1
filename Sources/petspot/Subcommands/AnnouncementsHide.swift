import Announcements
import ArgumentParser
import PetSpotStores
import ReportFlow

/// Takes an announcement down (decision 43).
struct AnnouncementsHide: MainActorCommand {
  static let configuration = CommandConfiguration(
    commandName: "hide",
    abstract: Speech.pick(
      en: "Take an announcement down, as the operator.",
      pl: "Ukryj ogłoszenie jako operator."),
    discussion: HelpText.text(
      en: """
        For whoever runs the store: needs no code. No list shows the announcement, its photo is not \
        served, visitors see that it was taken down, and another one may have its microchip number. Its \
        owner can still close or erase it, but not change it. The reason is for operators only; petspot \
        announcements show prints it. Hiding again replaces the reason. The act is logged.
        """,
      pl: """
        Dla osoby, która prowadzi serwis: nie wymaga kodu. Ogłoszenia nie ma na żadnej liście, jego \
        zdjęcie nie jest udostępniane, odwiedzający widzą, że zostało ukryte, a inne ogłoszenie może mieć \
        ten sam numer mikroczipu. Właściciel nadal może je zamknąć lub usunąć, ale nie zmienić. Powód jest \
        tylko dla operatorów; wypisuje go petspot announcements show. Ponowne ukrycie zastępuje powód. \
        Operacja trafia do dziennika.
        """,
      examples: """
        petspot announcements hide 6f9619ff --reason 'not their dog, letter of 3 May'
        petspot announcements hide 6f9619ff --reason spam --json
        """))

  @OptionGroup var reference: AnnouncementReference

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      Speech.pick(
        en: "Why, in up to 500 characters; for operators only.",
        pl: "Dlaczego, do 500 znaków; tylko dla operatorów."), valueName: "text"),
    transform: RawArguments.text)
  var reason: String

  @OptionGroup var options: GlobalOptions

  var words: ReportFlow.Words { options.words }

  func validate() throws {
    guard !reason.allSatisfy(\.isWhitespace), reason.count <= Announcement.longestDescription else {
      throw ValidationError(
        Speech.pick(
          en: "--reason has to be 1 to 500 characters long.",
          pl: "--reason musi mieć od 1 do 500 znaków."))
    }
  }

  func perform() async throws {
    let (announcements, id) = try await reference.stored(options)
    try await announcements.hide(id: id, reason: reason)
    try options.print(
      ["id": .string(id), "hidden": true, "reason": .string(reason)],
      orText: words(.operatorHidden, ["id": id]))
  }
}

/// Takes `hide` back.
struct AnnouncementsUnhide: MainActorCommand {
  static let configuration = CommandConfiguration(
    commandName: "unhide",
    abstract: Speech.pick(
      en: "Make a hidden announcement visible again.", pl: "Przywróć ukryte ogłoszenie."),
    discussion: HelpText.text(
      en: """
        One that its owner has closed meanwhile stays closed. One whose microchip number another open \
        announcement has stays hidden. Unhiding what isn't hidden is no error. The act is logged.
        """,
      pl: """
        Ogłoszenie zamknięte w międzyczasie przez właściciela pozostaje zamknięte. Ogłoszenie, którego \
        numer mikroczipu ma inne otwarte ogłoszenie, pozostaje ukryte. Przywrócenie ogłoszenia, które nie \
        jest ukryte, nie jest błędem. Operacja trafia do dziennika.
        """,
      examples: """
        petspot announcements unhide 6f9619ff
        """))

  @OptionGroup var reference: AnnouncementReference
  @OptionGroup var options: GlobalOptions

  var words: ReportFlow.Words { options.words }

  func perform() async throws {
    let (announcements, id) = try await reference.stored(options)
    do {
      try await announcements.unhide(id: id)
    } catch AnnouncementError.duplicateMicrochip {
      throw ReportFailure(
        code: "duplicate-microchip", message: words(.failureUnhideChip, ["id": id]),
        exitCode: 65, facts: ["id": .string(id)])
    }
    let status = try await announcements.announcement(id: id).status
    try options.print(
      ["id": .string(id), "hidden": false, "status": .string(status.rawValue)],
      orText: words(status == .closed ? .operatorStillClosed : .operatorUnhidden))
  }
}

extension AnnouncementReference {
  /// This machine's announcements, and the id among them.
  ///
  /// - Throws: `AnnouncementError.notFound` where none are kept.
  func stored(_ options: GlobalOptions) async throws -> (AnnouncementStore, id: String) {
    guard let announcements = try options.openStoresIfThere()?.announcements else {
      throw AnnouncementError.notFound(id: given)
    }
    return (announcements, try await id(in: announcements))
  }
}
