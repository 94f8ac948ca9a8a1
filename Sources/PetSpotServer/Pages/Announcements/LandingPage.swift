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
    let query = try context.query()
    let place = ReaderLocation(query)
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
        note: query["done"] == "forgotten" ? renderer.words("summary.forgotten") : nil,
        report: try await Self.report(context, in: stores, renderer.words),
        species: species.map {
          let query = ["species=" + $0.id, place.query].filter { !$0.isEmpty }
          return ChoiceView(
            $0, address: "/announcements?" + query.joined(separator: "&"), in: renderer.words)
        },
        cards: (list?.announcements ?? []).map {
          ListedView($0, reader: place.coordinate, level: 3, in: renderer.words)
        },
        hasFailed: list == nil, isEmpty: list?.announcements.isEmpty ?? false,
        hasCards: list?.announcements.isEmpty == false,
        retry: renderer.address, hasPlace: place.coordinate != nil,
        all: "/announcements" + (place.query.isEmpty ? "" : "?" + place.query),
        empty: renderer.words("landing.empty").split(separator: "\n").map(String.init)),
      head)
  }

  /// Returns the text of the button that leads to the report: the step at which an unfinished one continues.
  private static func report(
    _ context: RequestContext, in stores: Stores, _ words: Words
  ) async throws -> String {
    // A draft that can't be read is reported by the pages that need it.
    guard let id = try await DraftCookie.draft(of: context, in: stores),
      let draft = try? await stores.drafts.load(id)?.draft, !draft.isUntouched, !draft.isSubmitted,
      let step = draft.step.number
    else { return words("landing.lostPet") }
    return words(
      "landing.continue", ["step": String(step), "count": String(FlowStep.count)])
  }
}

extension ReportDraft {
  /// `true` if the first step is still empty.
  var isUntouched: Bool { step == .chip && completedSteps.isEmpty && chipInput.isEmpty }
}

/// The data of the start page. It shows an error, an empty list, or cards.
struct LandingView {
  /// `true` if the code of a report can be shown again.
  let hasCode: Bool
  /// The message about what was just done.
  let note: String?
  /// The text of the button that leads to the report.
  let report: String
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
