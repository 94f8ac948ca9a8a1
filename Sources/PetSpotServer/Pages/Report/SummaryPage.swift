import Announcements
import Foundation
import HummingbirdCore
import ReportFlow

/// The page after a report is published. Shows the announcement's code (management password) for an hour, or until the
/// visitor closes the page with its button.
struct SummaryPage: Sendable {
  let stores: Stores
  let limits: Limits

  /// `GET /report/summary`
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    guard let session = try await Self.session(context, in: stores),
      let submission = await session.draft.submission, let code = submission.managementPassword
    else {
      // The browser didn't receive the response that would have set the cookie.
      let visit = try await StepVisit(context, in: stores, within: limits)
      let draft = await visit.session.draft
      guard draft.isSubmitted else { return try await visit.seePublished() ?? visit.see("/report") }
      guard draft.submission?.managementPassword != nil else {
        return .see("/report", cookies: [DraftCookie.removal(context)])
      }
      return await visit.seeSummary()
    }
    let renderer = PageRenderer(context)
    var announcement: Announcement?
    if let id = submission.announcementID {
      announcement = try? await stores.announcements.announcement(id: id)
    }
    return renderer.page(
      "summary",
      SummaryView(
        code: code,
        announcement: announcement.map { announcement in
          let path = "/announcements/" + announcement.id
          return .init(
            address: path, link: context.base + (announcement.shortPath ?? path),
            title: AnnouncementCard(announcement, readerLocation: nil, words: renderer.words).title,
            picture: PictureView(announcement, .card, text: ""))
        }),
      PageHead(renderer.words("summary.title"), step: .summary))
  }

  /// `POST /report/summary`: the Close button. Deletes the code and the draft.
  @Sendable func close(_ context: RequestContext) async throws -> Response {
    _ = try await PostedForm.receive(context, within: limits)
    if let session = try await Self.session(context, in: stores) {
      try await session.record(.passwordShown)
      try await session.clear()
    }
    return .see("/", cookies: [PublishedCookie.removal(context)])
  }

  /// Returns the report that the browser has published within the last hour, unless its summary was closed.
  static func session(_ context: RequestContext, in stores: Stores) async throws -> DraftSession? {
    guard let published = try await PublishedCookie(context, in: stores) else { return nil }
    let session = try await DraftSession(
      draft: published.draft, store: stores.drafts, photos: stores.photos, logger: context.logger)
    let draft = await session.draft
    return draft.isSubmitted && draft.submission?.managementPassword != nil ? session : nil
  }
}

/// The data of the summary.
struct SummaryView {
  /// The announcement's path on this server, its link for others, and its title.
  struct Place {
    let address, link, title: String
    let picture: PictureView?
  }

  let code: String
  let announcement: Place?
}
