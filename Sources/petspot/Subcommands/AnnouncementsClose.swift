import PetSpotStores
import Announcements
import ArgumentParser
import ReportFlow

struct AnnouncementsClose: MainActorCommand {
  static let configuration = CommandConfiguration(
    commandName: "close", abstract: "Take an announcement off every list, for good.",
    discussion: """
      Closing twice is no error. After several wrong codes the next try has to wait. The contact \
      data stay where the announcement is; on this machine see petspot announcements erase.

      EXAMPLES:
        petspot announcements close 6f9619ff-8b86-4011-b42d-00c04fc964ff
        petspot announcements close 6f9619ff-8b86-4011-b42d-00c04fc964ff --password CODE
      """)

  @OptionGroup var owned: OwnedAnnouncement
  @OptionGroup var server: ServerOptions
  @OptionGroup var options: GlobalOptions

  var words: ReportFlow.Words { options.words }

  func perform() async throws {
    let code = try owned.code(words)
    let announcements =
      try server.repository(cache: nil) ?? options.openStores().announcements
    let closed: Announcement
    do {
      closed = try await announcements.close(
        id: owned.id, managementPassword: code, client: OwnedAnnouncement.client)
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
    commandName: "erase", abstract: "Delete an announcement with its contact data and photo.",
    discussion: """
      Open or closed, it is gone for good: nothing of it stays on this machine but the original \
      photo, wherever that is, and the photo's copy in the library if it was imported.

      EXAMPLES:
        petspot announcements erase 6f9619ff-8b86-4011-b42d-00c04fc964ff
        petspot announcements erase 6f9619ff-8b86-4011-b42d-00c04fc964ff --password-file code.txt
      """)

  @OptionGroup var owned: OwnedAnnouncement
  @OptionGroup var server: ServerOptions
  @OptionGroup var options: GlobalOptions

  var words: ReportFlow.Words { options.words }

  func validate() throws {
    guard try server.address == nil else {
      throw ArgumentParser.ValidationError(
        "A server does not erase announcements. Take it off its lists with petspot announcements "
          + "close, or leave out --server and PETSPOT_SERVER to erase one of this machine.")
    }
  }

  func perform() async throws {
    let code = try owned.code(words)
    try await options.openStores().announcements.erase(
      id: owned.id, managementPassword: code, client: OwnedAnnouncement.client)
    try options.print(["id": .string(owned.id), "erased": true], orText: words(.flowErased))
  }
}
