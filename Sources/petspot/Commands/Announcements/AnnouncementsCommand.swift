import PetSpotStores
import Announcements
import ArgumentParser
import Foundation
import PhotoIngestion
import ReportFlow

/// `petspot announcements`: the group of commands for published reports.
struct AnnouncementsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    named: "announcements", "help.announcements.abstract", "help.announcements.discussion",
    examples: """
      petspot announcements
      petspot announcements --near 52.2297,21.0122 --sort nearest --range 10
      petspot announcements --server https://pets.example.org
      petspot announcements show 6f9619ff-8b86-4011-b42d-00c04fc964ff
      petspot announcements close 6f9619ff-8b86-4011-b42d-00c04fc964ff
      petspot announcements erase 6f9619ff-8b86-4011-b42d-00c04fc964ff --password-file code.txt
      """,
    subcommands: [
      AnnouncementsList.self, AnnouncementsShow.self, AnnouncementsClose.self,
      AnnouncementsErase.self, AnnouncementsHide.self, AnnouncementsUnhide.self,
    ],
    defaultSubcommand: AnnouncementsList.self)
}

/// A position given as `52.2297,21.0122`.
struct GivenPosition: Sendable {
  var coordinate: Coordinate

  init(argument: String) throws {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2,
      let point = CoordinateRules.coordinate(latitude: parts[0], longitude: parts[1])
    else { throw ArgumentParser.ValidationError(L10n.words("usage.notAPosition")) }
    coordinate = point
  }
}

/// `petspot announcements list`: prints open announcements, or hidden ones with `--hidden`.
struct AnnouncementsList: ReaderCommand {
  static let configuration = CommandConfiguration(
    named: "list", "help.announcements.list.abstract",
    examples: """
      petspot announcements --limit 20
      petspot announcements list --hidden
      petspot announcements --near 52.2297,21.0122 --json | jq .distanceKm
      """)

  enum Order: String, ExpressibleByArgument, CaseIterable, Sendable {
    case newest, oldest, nearest

    var option: AnnouncementListQuery.SortOption {
      switch self {
      case .newest: .createdAtDescending
      case .oldest: .createdAtAscending
      case .nearest: .distanceFromUser
      }
    }
  }

  @Option(help: .words("help.announcements.list.limit", "n"))
  var limit = 5

  @Option(
    parsing: .unconditional, help: .words("help.announcements.list.near", "lat,lon"),
    transform: GivenPosition.init(argument:))
  var near: GivenPosition?

  @Option(help: .words("help.announcements.list.range", "km"))
  var range: Double?

  @Option(help: .words("help.announcements.list.sort"))
  var sort = Order.newest

  @Flag(help: .words("help.announcements.list.hidden"))
  var hidden = false

  @OptionGroup var server: ServerOptions
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    if limit < 1 { throw ValidationError(text: "usage.optionBelowOne", ["option": "--limit"]) }
    if near == nil, range != nil || sort == .nearest {
      throw ValidationError(text: "usage.nearestNeedsNear")
    }
    try ValidationError.rejectBoth("--hidden", hidden, "--near", near != nil)
    try ValidationError.rejectBoth("--hidden", hidden, "--sort", sort != .newest)
    if hidden, try server.address != nil {
      throw ValidationError(text: "usage.onStoreOnly", ["option": "--hidden"])
    }
    if let range, !(range.isFinite && range > 0) {
      throw ValidationError(text: "usage.rangeNotPositive")
    }
  }

  func perform() async throws {
    if hidden { return try await listHidden() }
    let place = near?.coordinate
    let announcements =
      try server.repository(cache: nil) ?? options.openStoresIfThere()?.announcements
    let found =
      try await announcements?.announcements(
        matching: AnnouncementListQuery(
          limit: limit, sortBy: sort.option, location: place, range: range)) ?? []
    let terminal = Terminal.standardOutput()
    for announcement in found {
      let card = AnnouncementCard(announcement, readerLocation: place, words: words)
      let json = announcement.json
      try options.print(
        json.addingKnown(["distanceKm": card.distanceKm]),
        orText: card.card(on: terminal) + "\n")
    }
    try options.say(
      found.isEmpty ? words("landing.empty") : words("list.count", count: found.count))
  }

  private func listHidden() async throws {
    let found = try await options.openStoresIfThere()?.announcements.listHidden(limit: limit) ?? []
    for announcement in found {
      let card = AnnouncementCard(announcement, readerLocation: nil, words: words)
      let reason = announcement.details.hiddenReason ?? ""
      try options.print(
        announcement.json.adding(["reason": reason]),
        orText: card.card(on: .standardOutput())
          + "\n  "
          + ReadableText.escaped(
            words("failure.taken-down.reason", ["id": announcement.id, "reason": reason])) + "\n")
    }
    try options.say(words("list.count", count: found.count))
  }
}
