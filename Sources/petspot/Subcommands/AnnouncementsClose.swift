import PetSpotStores
import Announcements
import ArgumentParser
import ReportFlow

struct AnnouncementsClose: MainActorCommand {
  static let configuration = CommandConfiguration(
    commandName: "close",
    abstract: Speech.pick(
      en: "Take an announcement off every list, for good.",
      pl: "Zdejmij ogłoszenie ze wszystkich list na zawsze."),
    discussion: HelpText.text(
      en: """
        Closing twice is no error. After several wrong codes the next try has to wait. The contact \
        data stay where the announcement is; on this machine see petspot announcements erase.
        """,
      pl: """
        Ponowne zamknięcie nie jest błędem. Po kilku błędnych kodach trzeba poczekać na następną próbę. \
        Dane kontaktowe pozostają tam, gdzie jest ogłoszenie; na tym komputerze usuwa je petspot \
        announcements erase.
        """,
      examples: """
        petspot announcements close 6f9619ff
        petspot announcements close 6f9619ff --password CODE
        """))

  @OptionGroup var owned: OwnedAnnouncement
  @OptionGroup var server: ServerOptions
  @OptionGroup var options: GlobalOptions

  var words: ReportFlow.Words { options.words }

  func perform() async throws {
    let remote = try server.repository(cache: nil)
    let local = try remote == nil ? options.openStoresIfThere()?.announcements : nil
    guard let announcements = remote ?? local else {
      throw AnnouncementError.notFound(id: owned.announcement.given)
    }
    let id = try await owned.announcement.id(in: local)
    let code = try owned.code(words)
    let closed: Announcement
    do {
      closed = try await announcements.close(
        id: id, managementPassword: code, client: OwnedAnnouncement.client)
    } catch AnnouncementError.closed(let id) {
      // A server tells nothing else of it.
      let status = AnnouncementStatus.closed.rawValue
      return try options.print(
        ["announcement": ["id": .string(id), "status": .string(status)]],
        orText: words(.failureClosed, ["id": id]))
    }
    let card = AnnouncementCardViewModel(
      closed, readerLocation: nil, words: words, onTap: { _ in })
    try options.print(
      ["announcement": closed.json], orText: card.card(on: .standardOutput()))
  }
}

struct AnnouncementsErase: MainActorCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: Speech.pick(
      en: "Delete an announcement with its contact data and photo.",
      pl: "Usuń ogłoszenie razem z danymi kontaktowymi i zdjęciem."),
    discussion: HelpText.text(
      en: """
        Open or closed, it is gone for good: nothing of it stays on this machine but the original \
        photo, wherever that is, and the photo's copy in the library if it was imported.
        """,
      pl: """
        Otwarte czy zamknięte, znika na zawsze: na tym komputerze zostaje tylko oryginalne zdjęcie, \
        gdziekolwiek jest, i kopia w bibliotece, jeśli zdjęcie zaimportowano.
        """,
      examples: """
        petspot announcements erase 6f9619ff
        petspot announcements erase 6f9619ff --password-file code.txt
        """))

  @OptionGroup var owned: OwnedAnnouncement
  @OptionGroup var server: ServerOptions
  @OptionGroup var options: GlobalOptions

  var words: ReportFlow.Words { options.words }

  func validate() throws {
    guard try server.address == nil else {
      throw ArgumentParser.ValidationError(
        Speech.pick(
          en: "A server does not erase announcements. Take it off its lists with petspot "
            + "announcements close, or leave out --server and PETSPOT_SERVER to erase one of this "
            + "machine.",
          pl:
            "Serwer nie usuwa zgłoszeń na trwałe. Zdejmij je z list poleceniem petspot announcements "
            + "close albo pomiń --server i PETSPOT_SERVER, aby usunąć zgłoszenie z tego komputera.")
      )
    }
  }

  func perform() async throws {
    guard let announcements = try options.openStoresIfThere()?.announcements else {
      throw AnnouncementError.notFound(id: owned.announcement.given)
    }
    let id = try await owned.announcement.id(in: announcements)
    let code = try owned.code(words)
    try await announcements.erase(
      id: id, managementPassword: code, client: OwnedAnnouncement.client)
    try options.print(["id": .string(id), "erased": true], orText: words(.flowErased))
  }
}
