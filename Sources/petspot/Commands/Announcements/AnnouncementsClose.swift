import Announcements
import ArgumentParser
import PhotoAttachments
import ReportFlow

/// `petspot announcements close`: closes an announcement with its owner's code.
struct AnnouncementsClose: ReaderCommand {
  static let configuration = CommandConfiguration(
    named: "close", "help.announcements.close.abstract", "help.announcements.close.discussion",
    examples: """
      petspot announcements close 6f9619ff
      petspot announcements close 6f9619ff --password CODE
      """)

  @OptionGroup var owned: OwnedAnnouncement
  @OptionGroup var server: ServerOptions
  @OptionGroup var options: GlobalOptions

  func validate() throws { try owned.requireCode() }

  func perform() async throws {
    let (announcements, id) = try await owned.reached(server, options)
    let code = try owned.code()
    let isRemote = try server.address != nil
    let closed: Announcement
    do {
      closed = try await announcements.close(
        id: id, managementPassword: code, client: OwnedAnnouncement.client)
    } catch AnnouncementError.closed(let id) where isRemote,
      AnnouncementError.takenDown(let id, _) where isRemote
    {
      // A server returns these if it is already closed. A local store throws `closed` only if it was erased.
      let status = AnnouncementStatus.closed.rawValue
      return try options.print(
        ["announcement": ["id": id, "status": status] as JSON],
        orText: words("failure.closed", ["id": id]))
    }
    let card = AnnouncementCard(closed, readerLocation: nil, words: words)
    try options.print(
      ["announcement": closed.json], orText: card.card(on: .standardOutput()))
  }
}

/// `petspot announcements erase`: deletes an announcement with its owner's code or as an operator.
struct AnnouncementsErase: ReaderCommand {
  static let configuration = CommandConfiguration(
    named: "erase", "help.announcements.erase.abstract", "help.announcements.erase.discussion",
    examples: """
      petspot announcements erase 6f9619ff
      petspot announcements erase 6f9619ff --password-file code.txt
      petspot announcements erase 6f9619ff --operator
      """)

  @OptionGroup var owned: OwnedAnnouncement

  @Flag(name: .customLong("operator"), help: .words("help.announcements.erase.operator"))
  var isOperator = false

  @OptionGroup var server: ServerOptions
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if !isOperator { return try owned.requireCode() }
    try ValidationError.rejectBoth("--operator", true, "--password", owned.password != nil)
    try ValidationError.rejectBoth("--operator", true, "--password-file", owned.passwordFile != nil)
    guard try server.address == nil else {
      throw ValidationError(text: "usage.onStoreOnly", ["option": "--operator"])
    }
  }

  func perform() async throws {
    let id: String
    var kept: PhotoAttachmentCache.NotDeleted?
    if isOperator {
      let (announcements, found) = try await owned.announcement.stored(options)
      kept = try await announcements.erase(id: found)
      id = found
    } else {
      let (announcements, found) = try await owned.reached(server, options)
      let code = try owned.code()
      let client = OwnedAnnouncement.client
      if let store = announcements as? AnnouncementStore {
        kept = try await store.erase(
          store.authorize(id: found, managementPassword: code, client: client))
      } else {
        try await announcements.erase(id: found, managementPassword: code, client: client)
      }
      id = found
    }
    if let kept { throw Failure(kept) }
    try options.print(["id": id, "erased": true], orText: words("flow.erased"))
  }
}

extension OwnedAnnouncement {
  /// Returns the announcements of the server or of this machine, and the id among them.
  ///
  /// - Throws: `AnnouncementError.notFound` if this machine has no store.
  func reached(
    _ server: ServerOptions, _ options: GlobalOptions
  ) async throws -> (any AnnouncementRepositoryProtocol, id: String) {
    if let remote = try server.repository(cache: nil) {
      return (remote, try await announcement.id(in: nil))
    }
    return try await announcement.stored(options)
  }
}
