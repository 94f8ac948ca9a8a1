import Announcements
import Foundation
import HummingbirdCore
import ReportFlow

/// The page after a report is published. Shows the announcement's code (management password) for an hour, or until the
/// visitor closes the page with its button.
struct SummaryPage: Sendable {
  let stores: Stores
  let limits: Limits

  /// `GET /report/summary`. With `?forget=1`, asks whether the code was saved.
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
    if try context.query()["forget"] != nil {
      let head = PageHead(renderer.words("summary.noted"), isSecret: true)
      return renderer.page("forget", [String: String](), head)
    }
    var announcement: Announcement?
    if let id = submission.announcementID {
      announcement = try? await stores.announcements.announcement(id: id)
    }
    return renderer.page(
      "summary",
      SummaryView(
        code: code,
        mailed: await session.draft.contactDetails?.email.flatMap {
          stores.sendsMail ? renderer.words("summary.mailed", ["email": $0]) : nil
        },
        announcement: announcement.map { announcement in
          let path = "/announcements/" + announcement.id
          return .init(
            address: path, link: context.base + (announcement.shortPath ?? path),
            title: AnnouncementCard(announcement, readerLocation: nil, words: renderer.words).title,
            picture: PictureView(announcement, .card, text: ""),
            share: ShareView(announcement, base: context.base, reader: renderer.words.language))
        }),
      PageHead(renderer.words("summary.title"), step: .summary))
  }

  /// `POST /report/summary`: deletes the code and the draft, and the right to change the announcement.
  @Sendable func close(_ context: RequestContext) async throws -> Response {
    _ = try await PostedForm.receive(context, within: limits)
    var cookies = [PublishedCookie.removal(context)]
    if let session = try await Self.session(context, in: stores) {
      if let id = await session.draft.submission?.announcementID {
        cookies.append(OwnerCookie.removal(context, id: id))
      }
      try await session.record(.passwordShown)
      try await session.clear()
    }
    return .see("/?done=forgotten", cookies: cookies)
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
    let share: ShareView
  }

  let code: String
  /// Says that the code was also mailed.
  let mailed: String?
  let announcement: Place?
}
