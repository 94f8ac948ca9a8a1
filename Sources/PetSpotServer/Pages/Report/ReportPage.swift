import Announcements
import Foundation
import HummingbirdCore
import PhotoAttachments
import ReportFlow

/// The entrance to the report, and the way to start over.
struct ReportPage: Sendable {
  let stores: Stores
  let limits: Limits

  /// `GET /report`: redirects to the current step of the draft. With `?new=1`, asks before the draft is deleted.
  @Sendable func showCurrentStep(_ context: RequestContext) async throws -> Response {
    let wantsNew = try context.query()["new"] != nil
    guard wantsNew else {
      let visit = try await StepVisit(context, in: stores, within: limits)
      if let summary = await visit.seeSummaryIfSubmitted() { return summary }
      let draft = await visit.session.draft
      return visit.see(draft.missingSteps.isEmpty ? ReviewPage.path : draft.step.path)
    }
    let renderer = PageRenderer(context)
    return renderer.page(
      "begin-anew", [String: String](), PageHead(renderer.words("page.newTitle")))
  }

  /// `POST /report`: deletes the draft. If the report was published and its code not yet shown, redirects to its
  /// summary instead. A draft that can't be read is deleted too, because otherwise the visitor couldn't continue.
  @Sendable func beginAnew(_ context: RequestContext) async throws -> Response {
    _ = try await PostedForm.receive(context, within: limits)
    let cookie = try await DraftCookie(context, in: stores)
    do {
      let visit = try await StepVisit(context, in: stores, within: limits)
      let submission = await visit.session.draft.submission
      if submission?.isComplete == true, submission?.managementPassword != nil {
        return await visit.seeSummary()
      }
      try await AnnouncementSubmissionService(to: stores.announcements)
        .discard(session: visit.session)
    } catch StoreError.database(.damagedDraft, _), StoreError.database(.newerDraft, _) {
      try await stores.photos.remove(draft: cookie.draft)
      try await stores.drafts.delete(cookie.draft)
    }
    return .see(FlowStep.chip.path, cookies: [cookie.setCookie])
  }
}
