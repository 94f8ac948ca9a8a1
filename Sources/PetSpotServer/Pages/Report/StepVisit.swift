import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import ReportFlow

/// A browser's draft of a report during one request (decision 31). The pages of the steps use it to read the draft,
/// apply posted forms and redirect to the next step.
struct StepVisit: Sendable {
  let stores: Stores
  let context: RequestContext
  let renderer: PageRenderer
  let cookie: DraftCookie
  let session: DraftSession

  /// - Throws: the errors of reading the draft.
  init(
    _ context: RequestContext, in stores: Stores, within limits: Limits
  ) async throws {
    self.stores = stores
    self.context = context
    renderer = PageRenderer(context)
    cookie = try await DraftCookie(context, in: stores)
    session = try await DraftSession(
      draft: cookie.draft, store: stores.drafts, photos: stores.photos, logger: context.logger,
      maker: DraftAdmission(stores, limits, context.logger).maker(of: cookie.draft, context))
  }

  var words: Words { renderer.words }

  /// Redirects (303) to another page, with the draft's cookie.
  func see(_ path: String, language: Language? = nil) -> Response {
    .see(path, cookies: [cookie.setCookie] + [language?.setCookie].compactMap { $0 })
  }

  /// Redirects (303) to the summary if the report is submitted, because nothing else can be done with it. After that
  /// the browser's next report is a new one.
  func seeSummaryIfSubmitted() async -> Response? {
    await session.draft.isSubmitted ? await seeSummary() : nil
  }

  /// Redirects (303) to the browser's published report unless the browser has begun another one, so that Back doesn't
  /// show an empty step. Leads to the page with the code, or to the announcement if that page has expired.
  func seePublished() async throws -> Response? {
    if let summary = await seeSummaryIfSubmitted() { return summary }
    guard cookie.isNew else { return nil }
    if try await SummaryPage.session(context, in: stores) != nil {
      return .see(FlowStep.summary.path)
    }
    return PublishedCookie.announcement(context).map { .see("/announcements/" + $0) }
  }

  /// Redirects (303) to the summary of the submitted report.
  func seeSummary() async -> Response {
    let id = await session.draft.submission?.announcementID
    return .see(FlowStep.summary.path, cookies: cookie.handOver(context, announcement: id))
  }

  /// Redirects (303) to a step, which shows the refusal for as long as the draft contains it. Because of the redirect,
  /// neither Back nor a reload sends the form again.
  func refuse(_ step: FlowStep, _ refusal: StepRefusal) async throws -> Response {
    try await session.change { $0.refuse(step, refusal) }
    return see(step == .summary ? ReviewPage.path : step.path)
  }
}

/// The outcome of a posted step.
enum StepOutcome: Sendable {
  /// Go on to a path.
  case moved(String)
  /// Show the same page again, with the draft's current texts and its refusal.
  case again(Language?)
  /// Another page has changed the fields since this one was made, so they were not written.
  case changed
}

extension StepVisit {
  /// Applies a posted form to the draft: first its fields, then the action of its button.
  ///
  /// If another tab has changed the fields since the form's page was made, the form doesn't overwrite them, unless its
  /// texts are equal. The draft then keeps the form's texts separately, and the page shows both.
  ///
  /// - Parameters:
  ///   - context: the values that Continue needs besides the draft.
  ///   - edit: applies the form's fields to the draft. Returns errors for values that no draft can contain.
  ///   - asks: returns `true` if the page has to ask about a value, given the draft before the form.
  func applyForm(
    _ form: PostedForm, of step: FlowStep, context: FlowContext,
    edit: @escaping @Sendable (inout ReportDraft) -> [ValidationError] = { _ in [] },
    asks: @escaping @Sendable (_ before: ReportDraft) -> Bool = { _ in false }
  ) async throws -> StepOutcome {
    try await session.change { [cookie] draft in
      if draft.isSubmitted { return .moved(FlowStep.summary.path) }
      let start = draft
      let before = draft.fields(of: step)
      var edited = draft
      let errors = edit(&edited)
      // If the browser has lost its draft, there are no texts of another tab.
      if let seen = form.given("seen"), !cookie.isNew, seen != before.fingerprint,
        edited.fields(of: step) != before
      {
        // If a script saves typed texts, they stay in its page, which sends them again with the next button.
        if form.action != .again(Self.typedAction) {
          draft.refuse(step, StepRefusal(typed: edited.fields(of: step).texts))
        }
        return .changed
      }
      draft = edited
      // The page has shown the texts of both tabs, so the draft no longer keeps them separately.
      if form.given("changed") != nil { draft.refuse(step, nil) }
      switch form.action {
      case .language(let language): return .again(language)
      case .again: return .again(nil)
      case .back:
        if draft.step == step { draft.handle(.back) }
        return .moved(step.previous?.path ?? "/")
      case .next:
        draft.refuse(step, nil)
        let typed = draft
        let outcome = draft.finish(step, context, unusable: errors)
        if case .refused = outcome {
          var refusal = StepRefusal(errors: errors)
          refusal.futureDay = errors.contains(.futureDate) ? form["date"] : nil
          draft.refuse(step, refusal)
          return .again(nil)
        }
        // Keep a value that the page asks about once. The next Continue accepts it.
        if asks(start) {
          draft = typed
          return .again(nil)
        }
        let adjusted = before.entries.flatMap {
          InputAdjustment.of($0.field, form[$0.field.rawValue])
        }
        guard !adjusted.isEmpty else {
          if case .moved(let next) = outcome { return .moved(next.path) }
          return .moved(draft.step.path)
        }
        // Show the adjusted texts first. The next Continue then sends them unchanged.
        draft.refuse(step, StepRefusal(adjusted: adjusted))
        return .again(nil)
      }
    }
  }

  /// Saves typed texts, whether valid or not, without completing the step. Returns 204 with the new fingerprint of the
  /// fields, or throws 409 if another tab has changed them since the page was made (seed 021, FR-004).
  func saveTyped(
    _ form: PostedForm, of step: FlowStep,
    edit: @escaping @Sendable (inout ReportDraft) -> [ValidationError]
  ) async throws -> Response {
    let isOver = try await seePublished() != nil
    let outcome =
      isOver
      ? .changed
      : try await applyForm(
        PostedForm(form, action: Self.typedAction), of: step, context: .now(), edit: edit)
    guard case .again = outcome else {
      throw ErrorResponse(
        .conflict,
        "The report was changed or published in the meantime. Reload the page."
      )
    }
    let seen = await session.draft.fields(of: step).fingerprint
    var response = Response.empty(.noContent, [.cacheControl: "no-store", Self.seen: seen])
    response.headers.append(HTTPField(name: .setCookie, value: cookie.setCookie))
    return response
  }

  private static let seen = HTTPField.Name("seen") ?? .eTag
  private static let typedAction = "typed"
}
