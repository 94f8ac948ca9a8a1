import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import ReportFlow

/// The start page: how to report a pet, and the five newest announcements (seed 058).
struct LandingPage: Sendable {
  let stores: Stores
  let gates: Gates

  /// `GET /`
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    let renderer = PageRenderer(context)
    let place = ReaderLocation(try context.query())
    var head = PageHead(renderer.words("landing.heroTitle"))
    head.canonical = "/"
    head.feeds = ListQuery.all.feeds
    let list = try await stores.listOrLog(
      .landingPageQuery(location: place.coordinate), in: gates, for: context)
    if list == nil { head.status = .serviceUnavailable }
    let species = await stores.species.taxonomy.options
    let published = try? await SummaryPage.session(context, in: stores)
    return renderer.page(
      "landing",
      LandingView(
        hasCode: published != nil,
        species: species.map {
          let query = ["species=" + $0.id, place.query].filter { !$0.isEmpty }
          return ChoiceView(
            $0, address: "/announcements?" + query.joined(separator: "&"), in: renderer.words)
        },
        cards: (list?.announcements ?? []).map {
          ListedView($0, reader: place.coordinate, in: renderer.words)
        },
        hasFailed: list == nil, isEmpty: list?.announcements.isEmpty ?? false,
        hasCards: list?.announcements.isEmpty == false,
        retry: renderer.address, hasPlace: place.coordinate != nil,
        all: "/announcements" + (place.query.isEmpty ? "" : "?" + place.query),
        empty: renderer.words("landing.empty").split(separator: "\n").map(String.init)),
      head)
  }
}

/// The data of the start page. It shows an error, an empty list, or cards.
struct LandingView {
  /// `true` if the code of a report can be shown again.
  let hasCode: Bool
  /// Links to the lists of each species.
  let species: [ChoiceView]
  let cards: [ListedView]
  let hasFailed, isEmpty, hasCards: Bool
  let retry: String
  /// `true` if distances are shown.
  let hasPlace: Bool
  /// The URL of the list of all announcements.
  let all: String
  let empty: [String]
}
