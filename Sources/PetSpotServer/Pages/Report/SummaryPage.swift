import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import ReportFlow

/// The page after a report is published. Shows the announcement's code (management password) for an hour, or until the
/// visitor closes the page with its button.
struct SummaryPage: Sendable {
  let stores: Stores
  let limits: Limits

  /// `GET /report/summary`. With `?forget=1`, asks whether the code was saved.
  @Sendable func showPage(_ context: RequestContext) async throws -> Response {
    let sessions = try await Self.sessions(context, in: stores)
    guard let session = sessions.first, let submission = await session.draft.submission,
      let code = submission.managementPassword
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
    var reports = [SummaryView.Report]()
    for session in sessions {
      if let report = try await report(session, context, in: renderer.words) {
        reports.append(report)
      }
    }
    if try context.query()["codes"] != nil { return Self.file(reports) }
    var announcement = reports.first
    if announcement?.code != code { announcement = nil }
    return renderer.page(
      "summary",
      SummaryView(
        code: code,
        mailed: await session.draft.contactDetails?.email.flatMap {
          stores.sendsMail ? renderer.words("summary.mailed", ["email": $0]) : nil
        },
        announcement: announcement, reports: reports, isSeveral: reports.count > 1),
      PageHead(renderer.words("summary.title"), step: .summary))
  }

  /// Returns a published report. `nil` if its announcement is closed or erased.
  private func report(
    _ session: DraftSession, _ context: RequestContext, in words: Words
  ) async throws -> SummaryView.Report? {
    guard let submission = await session.draft.submission, let id = submission.announcementID,
      let code = submission.managementPassword
    else { return nil }
    let announcement: Announcement
    do { announcement = try await stores.announcements.announcement(id: id) } catch {
      switch error as? AnnouncementError {
      case .closed, .notFound, .takenDown: return nil
      default: throw error
      }
    }
    if announcement.status == .closed { return nil }
    let path = "/announcements/" + id
    return .init(
      code: code, address: path, link: context.base + (announcement.shortPath ?? path),
      title: AnnouncementCard(announcement, readerLocation: nil, words: words).title,
      picture: PictureView(announcement, .card, text: ""),
      share: ShareView(announcement, base: context.base, reader: words.language))
  }

  /// The codes as a text file.
  private static func file(_ reports: [SummaryView.Report]) -> Response {
    let text = reports.map { "\($0.title)\n\($0.code)\n\($0.link)\n" }.joined(separator: "\n")
    return Response(
      status: .ok,
      headers: [
        .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store",
        .contentDisposition: "attachment; filename=\"petspot-codes.txt\"",
      ], body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
  }

  /// `POST /report/summary`: begins a report with the same contact, or deletes the codes and the drafts, and the right
  /// to change the announcements.
  @Sendable func close(_ context: RequestContext) async throws -> Response {
    let form = try await PostedForm.receive(context, within: limits)
    let sessions = try await Self.sessions(context, in: stores)
    if form.action == .again("again"), let last = await sessions.first?.draft {
      let visit = try await StepVisit(context, in: stores, within: limits)
      try await visit.session.change { draft in
        for field in [FormField.name, .phone, .email] where draft.text(of: field).isEmpty {
          draft.handle(.edited(.typed(field, last.text(of: field))))
        }
      }
      return visit.see(FlowStep.chip.path)
    }
    var cookies = [PublishedCookie.removal(context)]
    if let id = PublishedCookie.announcement(context) {
      // The right to change the last announcement may last longer than its code is shown.
      cookies.append(OwnerCookie.removal(context, id: id))
    }
    for session in sessions {
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
    try await sessions(context, in: stores).first
  }

  /// Returns all such reports, newest first.
  static func sessions(
    _ context: RequestContext, in stores: Stores
  ) async throws -> [DraftSession] {
    var sessions = [DraftSession]()
    for id in try await PublishedCookie(context, in: stores)?.drafts ?? [] {
      let session = try await DraftSession(
        draft: id, store: stores.drafts, photos: stores.photos, logger: context.logger)
      let draft = await session.draft
      if draft.isSubmitted, draft.submission?.managementPassword != nil { sessions.append(session) }
    }
    return sessions
  }
}

/// The data of the summary.
struct SummaryView {
  /// A published report: its code, its path on this server, its link for others, and its title.
  struct Report {
    let code, address, link, title: String
    let picture: PictureView?
    let share: ShareView
  }

  let code: String
  /// Says that the code was also mailed.
  let mailed: String?
  let announcement: Report?
  /// All reports that this browser published in the last hour.
  let reports: [Report]
  let isSeveral: Bool
}
