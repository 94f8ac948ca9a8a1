import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import ReportFlow

/// All announcements, page by page: those of a search and a species, newest or nearest first.
struct AnnouncementsPage: Sendable {
  let site: Site

  private static let perPage = 20

  /// `GET /announcements?q&species&sort=newest|nearest&lat&lng&page`
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    let query = try context.query()
    let species = await site.species.taxonomy.options
    let wanted = ListQuery(query, species: species.map(\.id))
    // A form sends its empty fields too, and a place as it was typed.
    let isUntidy = ["q", "species", "lat", "lng", "sort"].contains { query[$0]?.isEmpty == true }
    if isUntidy || wanted.place.isUnrounded { return .see(wanted.text) }
    let renderer = PageRenderer(context, on: site)
    var head = PageHead(renderer.words(.listTitle))
    // One more says whether there is another page.
    let model = await AnnouncementCardsListViewModel(
      repository: site.announcements,
      query: AnnouncementListQuery(
        limit: wanted.page * Self.perPage + 1,
        sortBy: wanted.isNearest ? .distanceFromUser : .createdAtDescending,
        location: wanted.place.coordinate, filter: wanted.filter),
      words: renderer.words, onAnnouncementTapped: { _ in })
    await model.reload()
    let list = await LoadedList(model, context)
    if list.state == .error { head.status = .serviceUnavailable }
    let shown = list.announcements.dropFirst((wanted.page - 1) * Self.perPage)
    let hasNext = shown.count > Self.perPage && wanted.page < ListQuery.maxPages
    func address(_ change: (inout ListQuery) -> Void) -> String {
      var other = wanted
      change(&other)
      return other.text
    }
    return renderer.page(
      "announcements",
      AnnouncementsView(
        cards: shown.prefix(Self.perPage).map {
          ListedView($0, reader: wanted.place.coordinate, in: renderer.words)
        },
        text: wanted.search,
        species: species.map {
          SpeciesChoice(
            id: $0.id, name: $0.displayName(in: renderer.words), isChosen: $0.id == wanted.species)
        },
        sort: wanted.isNearest ? "nearest" : "newest",
        latitude: wanted.place.latitude, longitude: wanted.place.longitude,
        isNearest: wanted.isNearest, needsPosition: query["sort"] == "nearest" && !wanted.isNearest,
        hasPlace: wanted.place.coordinate != nil,
        newest: address { ($0.isNearest, $0.page) = (false, 1) },
        nearest: address { ($0.isNearest, $0.page) = (true, 1) },
        all: wanted.filter == nil ? nil : address { $0.forgetFilter() },
        previous: wanted.page > 1 ? address { $0.page -= 1 } : nil,
        next: hasNext ? address { $0.page += 1 } : nil,
        page: renderer.words(.listPage, ["page": String(wanted.page)]),
        empty: renderer.words(.landingEmpty).split(separator: "\n").map(String.init),
        hasCards: !shown.isEmpty, hasFailed: list.state == .error, retry: renderer.address,
        hasPages: hasNext || wanted.page > 1),
      head)
  }
}

/// What a page of the list is asked for, as it stands in its address.
struct ListQuery {
  static let maxPages = 500

  private(set) var search: String
  /// The id of a species that there is; nil for all.
  private(set) var species: String?
  let place: ReaderLocation
  var isNearest: Bool
  var page: Int

  /// What the query says; what it says wrongly counts for nothing.
  init(_ query: [String: String], species known: [String]) {
    search = String(
      (query["q"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        .prefix(AnnouncementFilter.maxTextLength))
    species = query["species"].flatMap { known.contains($0) ? $0 : nil }
    place = ReaderLocation(query)
    isNearest = query["sort"] == "nearest" && place.coordinate != nil
    page = min(max(query["page"].flatMap { Int($0) } ?? 1, 1), Self.maxPages)
  }

  var filter: AnnouncementFilter? { AnnouncementFilter(text: search, speciesID: species) }

  mutating func forgetFilter() { (search, species, page) = ("", nil, 1) }

  var text: String {
    let words = search.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let parts = [
      search.isEmpty ? "" : "q=\(words)", species.map { "species=\($0)" } ?? "",
      isNearest ? "sort=nearest" : "", place.query, page > 1 ? "page=\(page)" : "",
    ].filter { !$0.isEmpty }
    return "/announcements" + (parts.isEmpty ? "" : "?" + parts.joined(separator: "&"))
  }
}

/// A species that a search can ask for.
struct SpeciesChoice {
  let id, name: String
  let isChosen: Bool
}

/// A page of the list.
struct AnnouncementsView {
  let cards: [ListedView]
  /// What is searched for.
  let text: String
  let species: [SpeciesChoice]
  let sort: String
  /// Where the reader is; empty when that's not known.
  let latitude, longitude: String
  let isNearest: Bool
  /// Whether nearest first was asked for without a place.
  let needsPosition, hasPlace: Bool
  let newest, nearest: String
  /// The list without search and species; nil when it is that.
  let all: String?
  let previous, next: String?
  let page: String
  let empty: [String]
  let hasCards, hasFailed: Bool
  let retry: String
  let hasPages: Bool
}
