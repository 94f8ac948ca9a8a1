import Announcements
import ArgumentParser
import PetSpotStores
import ReportFlow

/// `petspot announcements hide`: hides an announcement from the public. For operators (decision 43).
struct AnnouncementsHide: ReaderCommand {
  static let configuration = CommandConfiguration(
    named: "hide", "help.announcements.hide.abstract", "help.announcements.hide.discussion",
    examples: """
      petspot announcements hide 6f9619ff --reason 'not their dog, letter of 3 May'
      petspot announcements hide 6f9619ff --reason spam --json
      """)

  @OptionGroup var reference: AnnouncementReference

  @Option(
    parsing: .unconditional, help: .words("help.announcements.hide.reason", "text"),
    transform: RawArguments.text)
  var reason: String

  @OptionGroup var options: GlobalOptions

  func validate() throws {
    guard !reason.allSatisfy(\.isWhitespace),
      reason.fits(characters: Announcement.maxDescriptionLength)
    else { throw ValidationError(text: "usage.reasonLength") }
  }

  func perform() async throws {
    let (announcements, id) = try await reference.stored(options)
    try await announcements.hide(id: id, reason: reason)
    try options.print(
      ["id": id, "hidden": true, "reason": reason],
      orText: words("operator.hidden", ["id": id]))
  }
}

/// `petspot announcements unhide`: shows an announcement again that `hide` took down, unless it is closed.
struct AnnouncementsUnhide: ReaderCommand {
  static let configuration = CommandConfiguration(
    named: "unhide", "help.announcements.unhide.abstract", "help.announcements.unhide.discussion",
    examples: """
      petspot announcements unhide 6f9619ff
      """)

  @OptionGroup var reference: AnnouncementReference
  @OptionGroup var options: GlobalOptions

  func perform() async throws {
    let (announcements, id) = try await reference.stored(options)
    do {
      try await announcements.unhide(id: id)
    } catch AnnouncementError.duplicateMicrochip {
      throw Failure(
        code: "duplicate-microchip", message: words("failure.unhideChip", ["id": id]),
        exitCode: 65, facts: ["id": id])
    }
    let status = try await announcements.announcement(id: id).status
    try options.print(
      ["id": id, "hidden": false, "status": status.rawValue],
      orText: words(status == .closed ? "operator.stillClosed" : "operator.unhidden"))
  }
}

extension AnnouncementReference {
  /// Opens this machine's announcements and resolves the id among them.
  ///
  /// - Throws: `AnnouncementError.notFound` if this machine has no store.
  func stored(_ options: GlobalOptions) async throws -> (AnnouncementStore, id: String) {
    guard let announcements = try options.openStoresIfThere()?.announcements else {
      throw AnnouncementError.notFound(id: given)
    }
    return (announcements, try await id(in: announcements))
  }
}
