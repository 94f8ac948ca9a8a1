import PetSpotStores
import Announcements
import AnnouncementsHTTP
import ArgumentParser
import Foundation
import ReportFlow

struct AnnouncementsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "announcements",
    abstract: Speech.pick(
      en: "List, show, close, erase and take down announcements of missing pets.",
      pl: "Ogłoszenia o zaginionych zwierzętach: lista, podgląd, zamykanie, usuwanie i ukrywanie."),
    discussion: HelpText.text(
      en: """
        Without a further word they are listed, with --limit N, --near LAT,LON, --range KM, --sort \
        newest|oldest|nearest, --server URL and --cache DIR; see petspot announcements list --help.
        """,
      pl: """
        Bez dalszego słowa wypisuje je, z opcjami --limit N, --near SZER,DŁ, --range KM, --sort \
        newest|oldest|nearest, --server URL i --cache DIR; zob. petspot announcements list --help.
        """,
      examples: """
        petspot announcements
        petspot announcements --near 52.2297,21.0122 --sort nearest --range 10
        petspot announcements --server https://pets.example.org
        petspot announcements show 6f9619ff-8b86-4011-b42d-00c04fc964ff
        petspot announcements close 6f9619ff-8b86-4011-b42d-00c04fc964ff
        petspot announcements erase 6f9619ff-8b86-4011-b42d-00c04fc964ff --password-file code.txt
        """),
    subcommands: [
      AnnouncementsList.self, AnnouncementsShow.self, AnnouncementsClose.self,
      AnnouncementsErase.self, AnnouncementsHide.self, AnnouncementsUnhide.self,
    ],
    defaultSubcommand: AnnouncementsList.self)
}

/// A place given as `52.2297,21.0122`.
struct GivenPosition: ExpressibleByArgument, Sendable {
  var coordinate: Coordinate

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2,
      let point = CoordinateRules.coordinate(latitude: parts[0], longitude: parts[1])
    else { return nil }
    coordinate = point
  }
}

struct AnnouncementsList: MainActorCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: Speech.pick(
      en: "Show the announcements, newest first.", pl: "Pokaż ogłoszenia od najnowszych."),
    discussion: HelpText.examples(
      """
      petspot announcements --limit 20
      petspot announcements --near 52.2297,21.0122 --json | jq .distanceKm
      """))

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

  @Option(
    help: ArgumentHelp(
      Speech.pick(en: "Show at most this many.", pl: "Pokaż najwyżej tyle."), valueName: "n"))
  var limit = 5

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      Speech.pick(
        en: "Where you are, for distances.", pl: "Twoje położenie, do obliczania odległości."),
      valueName: "lat,lon"))
  var near: GivenPosition?

  @Option(
    help: ArgumentHelp(
      Speech.pick(
        en: "Only those this near; needs --near.", pl: "Tylko nie dalej niż tyle; wymaga --near."),
      valueName: "km"))
  var range: Double?

  @Option(
    help: Speech.pick(
      en: "The order; nearest needs --near.", pl: "Kolejność; nearest wymaga --near."))
  var sort = Order.newest

  @OptionGroup var server: ServerOptions
  @OptionGroup var options: GlobalOptions

  var words: ReportFlow.Words { options.words }

  func validate() throws {
    typealias Wrong = ArgumentParser.ValidationError
    if limit < 1 { throw UsageWords.atLeastOne("--limit") }
    let most = HTTPAnnouncementRepository.longestList
    if limit > most, try server.address != nil {
      throw Wrong(
        Speech.pick(
          en: "A server lists at most \(most) announcements; --limit has to be 1 to \(most).",
          pl: "Serwer wymienia najwyżej \(most) zgłoszeń; --limit to liczba od 1 do \(most)."))
    }
    if near == nil, range != nil || sort == .nearest {
      throw Wrong(
        Speech.pick(
          en: "--range and --sort nearest need --near LAT,LON.",
          pl: "--range i --sort nearest wymagają --near SZER,DŁ."))
    }
    if let range, !(range.isFinite && range > 0) {
      throw Wrong(
        Speech.pick(en: "--range has to be above 0 km.", pl: "--range musi być większe od 0 km."))
    }
  }

  func perform() async throws {
    let place = near?.coordinate
    let announcements =
      try server.repository(cache: nil) ?? options.openStoresIfThere()?.announcements
    let found =
      try await announcements?.announcements(
        matching: AnnouncementListQuery(
          limit: limit, sortBy: sort.option, location: place, range: range)) ?? []
    let terminal = Terminal.standardOutput()
    for announcement in found {
      let card = AnnouncementCardViewModel(
        announcement, readerLocation: place, words: words, onTap: { _ in })
      let json = announcement.json
      try options.print(
        card.distanceKm.map { json.adding(["distanceKm": .double($0)]) } ?? json,
        orText: card.card(on: terminal) + "\n")
    }
    guard !options.json, !options.quiet else { return }
    try Output.text(
      found.isEmpty ? words(.landingEmpty) : words(.listCount, count: found.count))
  }
}
