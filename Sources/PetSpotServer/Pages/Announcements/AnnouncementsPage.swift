import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import ReportFlow

/// The list of announcements in pages, filtered by search and species, with the newest or nearest first.
struct AnnouncementsPage: Sendable {
  let stores: Stores
  let gates: Gates

  private static let perPage = 20

  /// `GET /announcements?q&species&sort=newest|nearest&lat&lng&range&after`
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    let query = try context.query()
    let taxonomy = await stores.species.taxonomy
    let wanted = ListQuery(query, taxonomy: taxonomy)
    // Forms also send empty fields, and coordinates as they were typed. Redirect to the short URL.
    let needsPosition = query["sort"] == "nearest" && !wanted.isNearest
    let isUntidy =
      !needsPosition
      && ["q", "species", "lat", "lng", "sort", "range"].contains { query[$0]?.isEmpty == true }
    // Old links contain page numbers.
    if isUntidy || query["page"] != nil || wanted.place.isUnrounded { return .see(wanted.text) }
    let renderer = PageRenderer(context)
    let words = renderer.words
    let list = try await stores.listOrLog(wanted.list(limit: Self.perPage), in: gates, for: context)
    let shown = list?.announcements ?? []
    func address(_ change: (inout ListQuery) -> Void) -> String {
      var other = wanted
      change(&other)
      return other.text
    }
    let title = wanted.title(wanted.after == nil ? list : nil, in: words)
    var head = PageHead(title)
    if list == nil { head.status = .serviceUnavailable }
    head.canonical = wanted.isPlain ? "/announcements" : nil
    head.feeds = wanted.feeds
    let all = ChoiceView(
      name: words("list.allSpecies"), address: address { $0.choose(species: "") },
      isChosen: wanted.species == nil)
    return renderer.page(
      "announcements",
      AnnouncementsView(
        title: title,
        cards: shown.map { ListedView($0, reader: wanted.place.coordinate, in: words) },
        text: wanted.search, chosen: wanted.species,
        species: [all]
          + taxonomy.options.map { option in
            ChoiceView(
              option, chosen: wanted.species, address: address { $0.choose(species: option.id) },
              in: words)
          },
        sort: wanted.isNearest ? "nearest" : "newest",
        latitude: wanted.place.latitude, longitude: wanted.place.longitude,
        isNearest: wanted.isNearest, needsPosition: needsPosition,
        hasPlace: wanted.place.coordinate != nil, range: wanted.range.map(String.init),
        ranges: ([nil] + ListQuery.ranges.map(Optional.init)).map { range in
          ChoiceView(
            name: range.map { words("list.within", ["km": String($0)]) } ?? words("list.anywhere"),
            address: address { ($0.range, $0.after) = (range, nil) },
            isChosen: range == wanted.range)
        },
        newest: address { ($0.isNearest, $0.after) = (false, nil) },
        nearest: address { ($0.isNearest, $0.after) = (true, nil) },
        nowhere: address { $0.forgetPlace() },
        all: wanted.isPlain ? nil : address { $0.forgetFilter() },
        first: wanted.after == nil ? nil : address { $0.after = nil },
        next: list?.next.map { next in address { $0.after = next } },
        isIncomplete: list?.isIncomplete ?? false,
        nothing: words(wanted.search.isEmpty ? "list.nobody" : "list.nothingFound"),
        empty: words("landing.empty").split(separator: "\n").map(String.init),
        hasCards: !shown.isEmpty, hasFailed: list == nil, retry: renderer.address,
        hasPages: list?.next != nil || wanted.after != nil, atom: wanted.feeds.atom),
      head)
  }
}

/// The parameters of a list page, as they appear in its URL.
struct ListQuery {
  private(set) var search: String
  /// The ID of an existing species. `nil` for all species.
  private(set) var species: String?
  private(set) var place: ReaderLocation
  var isNearest: Bool
  /// The greatest distance from the place in kilometers.
  var range: Int?
  var after: AnnouncementCursor?

  /// The distances that the page offers, in kilometers.
  static let ranges = [2, 5, 10, 25, 50]
  static let atom = "/announcements.atom"
  static let json = "/announcements.json"
  /// The list of all announcements.
  static let all = ListQuery([:], taxonomy: .bundled)

  /// Parses the parameters. Ignores invalid values.
  init(_ query: [String: String], taxonomy: SpeciesTaxonomy) {
    search = String(
      (query["q"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        .prefix(AnnouncementFilter.maxTextLength))
    species = taxonomy.option(id: query["species"])?.id
    place = ReaderLocation(query)
    isNearest = query["sort"] == "nearest" && place.coordinate != nil
    range = query["range"].flatMap { Int($0) }.flatMap {
      Self.ranges.contains($0) && place.coordinate != nil ? $0 : nil
    }
    after = query["after"].flatMap { AnnouncementCursor($0) }
  }

  var filter: AnnouncementFilter? { AnnouncementFilter(text: search, speciesID: species) }

  /// `true` if the list contains all announcements.
  var isPlain: Bool { filter == nil && range == nil }

  mutating func forgetFilter() {
    search = ""
    species = nil
    range = nil
    after = nil
  }

  mutating func forgetPlace() {
    place = ReaderLocation([:])
    isNearest = false
    range = nil
    after = nil
  }

  mutating func choose(species id: String) {
    species = id.isEmpty ? nil : id
    after = nil
  }

  /// Returns the query for one page of the list.
  func list(limit: Int) -> AnnouncementListQuery {
    AnnouncementListQuery(
      limit: limit, sortBy: isNearest ? .distanceFromUser : .createdAtDescending,
      location: place.coordinate, range: range.map(Double.init), filter: filter, after: after)
  }

  /// Returns the search with the number of results: `3 reports: "mokotów", Dog, up to 5 km`.
  ///
  /// - Parameter list: the first page of the list. `nil` if it isn't known.
  func title(_ list: AnnouncementList? = nil, in words: Words) -> String {
    if isPlain { return words("list.title") }
    let parts = [
      search.isEmpty ? nil : words("list.quoted", ["text": search]),
      species.map { SpeciesTaxonomyOption(id: $0).displayName(in: words) },
      range.map { words("list.within", ["km": String($0)]) },
    ].compactMap { $0 }.joined(separator: ", ")
    let amount =
      switch (list?.announcements.count, list?.next) {
      case (nil, _): words("list.search")
      case (let count?, .some): words("list.moreThan", count: count)
      case (0, nil): words("list.none")
      case (let count?, nil): words("list.count", count: count)
      }
    return "\(amount): \(parts)"
  }

  var feeds: FeedLinks { FeedLinks(atom: address(Self.atom), json: address(Self.json)) }

  var text: String { address("/announcements") }

  /// Returns the URL of this list under another path.
  func address(_ path: String) -> String {
    let words = search.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let parts = [
      search.isEmpty ? "" : "q=\(words)", species.map { "species=\($0)" } ?? "",
      isNearest ? "sort=nearest" : "", place.query, range.map { "range=\($0)" } ?? "",
      after.map { "after=\($0)" } ?? "",
    ].filter { !$0.isEmpty }
    return path + (parts.isEmpty ? "" : "?" + parts.joined(separator: "&"))
  }
}

/// The data of a list page.
struct AnnouncementsView {
  /// The search and the number of results.
  let title: String
  let cards: [ListedView]
  /// The text of the search.
  let text: String
  let chosen: String?
  let species: [ChoiceView]
  let sort: String
  /// The reader's position. Empty if it's unknown.
  let latitude, longitude: String
  let isNearest: Bool
  /// `needsPosition` is `true` if the request has `sort=nearest` without a valid position.
  let needsPosition, hasPlace: Bool
  /// The greatest distance in kilometers.
  let range: String?
  let ranges: [ChoiceView]
  /// The list in each order, and without the reader's position.
  let newest, nearest, nowhere: String
  /// The list without search and species. `nil` if this is that list.
  let all: String?
  let first, next: String?
  /// `true` if the search ended before it had checked all announcements.
  let isIncomplete: Bool
  /// The text of a search without results.
  let nothing: String
  let empty: [String]
  let hasCards, hasFailed: Bool
  let retry: String
  let hasPages: Bool
  /// The URL of the list's Atom feed.
  let atom: String
}
