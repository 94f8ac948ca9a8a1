import Announcements
import Foundation
import HummingbirdCore
import PhotoAttachments
import ReportFlow

/// The way into the report, and the way to begin anew.
struct ReportPage: Sendable {
  let site: Site

  /// `GET /report`: goes to the step where the draft stands; with `?new=1` asks before it is deleted.
  @Sendable func show(_ context: RequestContext) async throws -> Response {
    let wantsNew = try context.query()["new"] != nil
    guard wantsNew else {
      let visit = try await StepVisit(context, on: site)
      if let summary = await visit.seeSummaryIfSubmitted() { return summary }
      let draft = await visit.session.draft
      let isComplete = draft.step == .contact && draft.missingSteps.isEmpty
      return visit.see(isComplete ? ReviewPage.path : draft.step.path)
    }
    let renderer = PageRenderer(context, on: site)
    return renderer.page(
      "begin-anew", [String: String](), PageHead(renderer.words("page.newTitle")))
  }

  /// `POST /report`: deletes the draft. A published report whose code was never seen is not lost: its
  /// summary comes first. A draft that cannot be read is deleted too, which is the way out of it.
  @Sendable func beginAnew(_ context: RequestContext) async throws -> Response {
    _ = try await PostedForm.receive(context, on: site)
    let cookie = try await DraftCookie(context, on: site)
    do {
      let visit = try await StepVisit(context, on: site)
      let submission = await visit.session.draft.submission
      if submission?.isComplete == true, submission?.managementPassword != nil {
        return await visit.seeSummary()
      }
      try await AnnouncementSubmissionService(to: site.announcements)
        .discard(session: visit.session)
    } catch StoreError.database(.damagedDraft, _), StoreError.database(.newerDraft, _) {
      try await site.photos.clear(draft: cookie.draft)
      try await site.drafts.delete(cookie.draft)
    }
    return .see(FlowStep.chip.path, cookies: [cookie.setCookie])
  }
}
