import Announcements
import Foundation
import HTTPTypes
import HummingbirdCore
import ReportFlow

/// One browser's report during one request (decision 31).
struct StepVisit: Sendable {
  let site: Site
  let context: RequestContext
  let renderer: PageRenderer
  let cookie: DraftCookie
  let session: DraftSession

  /// - Throws: what reading the draft throws.
  init(_ context: RequestContext, on site: Site) async throws {
    (self.site, self.context, renderer) = (site, context, PageRenderer(context, on: site))
    cookie = try await DraftCookie(context, on: site)
    session = try await DraftSession(
      draft: cookie.draft, store: site.drafts, photos: site.photos, logger: context.logger,
      maker: site.maker(of: cookie.draft, context))
  }

  var words: Words { renderer.words }

  /// 303 to another page, with the draft's cookie.
  func see(_ path: String, language: Language? = nil) -> Response {
    .see(path, cookies: [cookie.setCookie] + [language?.setCookie].compactMap { $0 })
  }

  /// 303 to the summary when the report is submitted; nothing else can be done with it. From then on the
  /// browser's report is another one.
  func seeSummaryIfSubmitted() async -> Response? {
    await session.draft.isSubmitted ? await seeSummary() : nil
  }

  /// 303 to what this browser has published, unless it has begun another report since: Back shows no empty
  /// step. The code's page comes first, and the announcement when that is over.
  func seePublished() async throws -> Response? {
    if let summary = await seeSummaryIfSubmitted() { return summary }
    guard cookie.isNew else { return nil }
    if try await SummaryPage.session(context, on: site) != nil {
      return .see(FlowStep.summary.path)
    }
    return PublishedCookie.announcement(context).map { .see("/announcements/" + $0) }
  }

  /// 303 to the summary of the report, which is submitted.
  func seeSummary() async -> Response {
    let id = await session.draft.submission?.announcementID
    return .see(FlowStep.summary.path, cookies: cookie.handOver(context, announcement: id))
  }

  /// 303 to a step, which shows why it was refused for as long as the draft says so: neither Back nor a reload
  /// asks to send a form again.
  func refuse(_ step: FlowStep, _ refusal: StepRefusal) async throws -> Response {
    try await session.change { $0.refuse(step, refusal) }
    return see(step == .summary ? ReviewPage.path : step.path)
  }
}

/// What came of a posted step.
enum StepOutcome: Sendable {
  /// On to this path.
  case moved(String)
  /// The same page again, as it stands in the draft now, with what the draft says of its last Continue.
  case again(Language?)
  /// Another page has changed these fields since this one was made; they were not written.
  case changed
}

extension StepVisit {
  /// Lets a posted form happen to the draft: its fields, then what its button asks for.
  ///
  /// A form that was made from another state of its fields than they have now does not overwrite
  /// them, unless it says the same; the draft keeps what it says beside them.
  ///
  /// - Parameters:
  ///   - facts: what Continue needs to know.
  ///   - edit: brings the form's fields into the draft; gives errors for what no draft can hold.
  ///   - asks: whether to ask about what the form says, given the draft before it.
  func take(
    _ form: PostedForm, of step: FlowStep, facts: FlowFacts,
    edit: @escaping @Sendable (inout ReportDraft) -> [ValidationError] = { _ in [] },
    asks: @escaping @Sendable (_ before: ReportDraft) -> Bool = { _ in false }
  ) async throws -> StepOutcome {
    try await session.change { draft in
      if draft.isSubmitted { return .moved(FlowStep.summary.path) }
      let (start, before) = (draft, draft.fields(of: step))
      var edited = draft
      let errors = edit(&edited)
      if let seen = form.given("seen"), seen != before.fingerprint,
        edited.fields(of: step) != before
      {
        // What a script keeps stays in its page, which sends it with the next button.
        if form.action != .again(Self.typedAction) {
          draft.refuse(step, StepRefusal(typed: edited.fields(of: step).texts))
        }
        return .changed
      }
      draft = edited
      // This page has shown both.
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
        let outcome = draft.finish(step, facts, unusable: errors)
        if case .refused = outcome {
          draft.refuse(step, StepRefusal(errors: errors))
          return .again(nil)
        }
        // A value that is asked about once is kept, and the next Continue takes it.
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
        // Said before it goes on: the next Continue has what is kept.
        draft.refuse(step, StepRefusal(adjusted: adjusted))
        return .again(nil)
      }
    }
  }

  /// Keeps what is typed, valid or not, and counts it for nothing: 204 and the new state of the fields, or
  /// 409 when another tab has changed them since the page was made (seed 021, FR-004).
  func keep(
    _ form: PostedForm, of step: FlowStep,
    edit: @escaping @Sendable (inout ReportDraft) -> [ValidationError]
  ) async throws -> Response {
    let isOver = try await seePublished() != nil
    let outcome =
      isOver
      ? .changed
      : try await take(
        PostedForm(form, action: Self.typedAction), of: step, facts: .now(), edit: edit)
    guard case .again = outcome else {
      throw ErrorResponse(
        .conflict, "CONFLICT",
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
