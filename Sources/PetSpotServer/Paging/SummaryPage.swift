import Foundation
import Hummingbird
import ReportFlow

/// After step 4: the report is published, and its code is shown until the page is closed.
struct SummaryPage: Sendable {
  let site: Site

  /// `GET /report/summary`
  @Sendable func show(_ exchange: Exchange) async throws -> Response {
    let visit = try await StepVisit(exchange, on: site)
    let draft = await visit.session.draft
    guard draft.isSubmitted, let submission = draft.submission else { return visit.see("/report") }
    return visit.reader.page(
      "summary",
      SummaryView(
        code: submission.managementPassword,
        announcement: submission.announcementID.map { "/announcements/" + $0 }),
      PageHead(visit.words(.summaryTitle), step: .summary), cookies: [visit.cookie.setCookie])
  }

  /// `POST /report/summary`: Close. The code is forgotten, and with it the report.
  @Sendable func close(_ exchange: Exchange) async throws -> Response {
    let visit = try await StepVisit(exchange, on: site)
    _ = try await PostedForm.receive(exchange)
    if await visit.session.draft.isSubmitted {
      try await visit.session.record(.passwordShown)
      try await visit.session.clear()
    }
    return .see("/", cookies: [DraftCookie.removal(exchange)])
  }
}

/// What the summary shows.
struct SummaryView {
  let code, announcement: String?
}
