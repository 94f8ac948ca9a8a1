import Announcements
import Foundation
import HTTPTypes
import Hummingbird
import ReportFlow

/// All announcements, page by page.
struct AnnouncementsPage: Sendable {
  let site: Site

  private static let perPage = 20
  private static let mostPages = 500

  /// `GET /announcements?sort=newest|nearest&page=N&lat&lng`
  @Sendable func show(_ exchange: Exchange) async throws -> Response {
    let reader = Reader(exchange, on: site)
    let query = try exchange.query()
    let place = ReaderPlace(query)
    let wantsNearest = query["sort"] == "nearest"
    let isNearest = wantsNearest && place.coordinate != nil
    let number = min(max(query["page"].flatMap { Int($0) } ?? 1, 1), Self.mostPages)
    // One more tells whether there is another page.
    let found = try await site.announcements.announcements(
      matching: AnnouncementListQuery(
        limit: number * Self.perPage + 1,
        sortBy: isNearest ? .distanceFromUser : .createdAtDescending, location: place.coordinate))
    let shown = found.dropFirst((number - 1) * Self.perPage)
    func address(_ sort: String, _ page: Int) -> String {
      let parts = ["sort=\(sort)", page > 1 ? "page=\(page)" : "", place.query]
      return "/announcements?" + parts.filter { !$0.isEmpty }.joined(separator: "&")
    }
    let sort = isNearest ? "nearest" : "newest"
    let hasNext = shown.count > Self.perPage && number < Self.mostPages
    return reader.page(
      "announcements",
      AnnouncementsView(
        cards: shown.prefix(Self.perPage).map {
          ListedView($0, reader: place.coordinate, in: reader.words)
        },
        isNearest: wantsNearest, needsPosition: wantsNearest && !isNearest,
        hasPlace: place.coordinate != nil,
        newest: address("newest", 1), nearest: address("nearest", 1),
        previous: number > 1 ? address(sort, number - 1) : nil,
        next: hasNext ? address(sort, number + 1) : nil,
        page: reader.words(.listPage, ["page": String(number)]),
        empty: reader.words(.landingEmpty).split(separator: "\n").map(String.init),
        hasCards: !shown.isEmpty, hasPages: hasNext || number > 1),
      PageHead(reader.words(.listTitle)))
  }
}

/// A page of the list.
struct AnnouncementsView {
  let cards: [ListedView]
  let isNearest: Bool
  /// Whether nearest first was asked for, and nobody knows where the reader is.
  let needsPosition, hasPlace: Bool
  let newest, nearest: String
  let previous, next: String?
  let page: String
  let empty: [String]
  let hasCards, hasPages: Bool
}
