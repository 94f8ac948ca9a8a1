import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import ReportFlow

/// All announcements, a page at a time: those of a search and a species, newest or nearest first.
struct AnnouncementsPage: Sendable {
  let site: Site

  private static let perPage = 20

  /// `GET /announcements?q&species&sort=newest|nearest&lat&lng&after`
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    let query = try context.query()
    let species = await site.species.taxonomy.options
    let wanted = ListQuery(query, species: species.map(\.id))
    // A form sends its empty fields too, and a place as it was typed.
    let isUntidy = ["q", "species", "lat", "lng", "sort"].contains { query[$0]?.isEmpty == true }
    // Pages had numbers once.
    if isUntidy || query["page"] != nil || wanted.place.isUnrounded { return .see(wanted.text) }
    let renderer = PageRenderer(context, on: site)
    var head = PageHead(renderer.words("list.title"))
    let list = try await site.shown(
      AnnouncementListQuery(
        limit: Self.perPage, sortBy: wanted.isNearest ? .distanceFromUser : .createdAtDescending,
        location: wanted.place.coordinate, filter: wanted.filter, after: wanted.after),
      for: context)
    if list == nil { head.status = .serviceUnavailable }
    let shown = list?.announcements ?? []
    func address(_ change: (inout ListQuery) -> Void) -> String {
      var other = wanted
      change(&other)
      return other.text
    }
    return renderer.page(
      "announcements",
      AnnouncementsView(
        cards: shown.map {
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
        newest: address { ($0.isNearest, $0.after) = (false, nil) },
        nearest: address { ($0.isNearest, $0.after) = (true, nil) },
        all: wanted.filter == nil ? nil : address { $0.forgetFilter() },
        first: wanted.after == nil ? nil : address { $0.after = nil },
        next: list?.next.map { next in address { $0.after = next } },
        isIncomplete: list?.isIncomplete ?? false,
        empty: renderer.words("landing.empty").split(separator: "\n").map(String.init),
        hasCards: !shown.isEmpty, hasFailed: list == nil, retry: renderer.address,
        hasPages: list?.next != nil || wanted.after != nil),
      head)
  }
}

/// What a page of the list is asked for, as it stands in its address.
struct ListQuery {
  private(set) var search: String
  /// The id of a species that there is; nil for all.
  private(set) var species: String?
  let place: ReaderLocation
  var isNearest: Bool
  var after: AnnouncementCursor?

  /// What the query says; what it says wrongly counts for nothing.
  init(_ query: [String: String], species known: [String]) {
    search = String(
      (query["q"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        .prefix(AnnouncementFilter.maxTextLength))
    species = query["species"].flatMap { known.contains($0) ? $0 : nil }
    place = ReaderLocation(query)
    isNearest = query["sort"] == "nearest" && place.coordinate != nil
    after = query["after"].flatMap { AnnouncementCursor($0) }
  }

  var filter: AnnouncementFilter? { AnnouncementFilter(text: search, speciesID: species) }

  mutating func forgetFilter() { (search, species, after) = ("", nil, nil) }

  var text: String {
    let words = search.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let parts = [
      search.isEmpty ? "" : "q=\(words)", species.map { "species=\($0)" } ?? "",
      isNearest ? "sort=nearest" : "", place.query, after.map { "after=\($0)" } ?? "",
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
  let first, next: String?
  /// Whether the search ended before it had looked at all.
  let isIncomplete: Bool
  let empty: [String]
  let hasCards, hasFailed: Bool
  let retry: String
  let hasPages: Bool
}
