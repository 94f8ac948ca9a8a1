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
    await session.draft.isSubmitted ? seeSummary() : nil
  }

  /// 303 to the summary of the report, which is submitted.
  func seeSummary() -> Response {
    .see(FlowStep.summary.path, cookies: cookie.handOver(context))
  }
}

/// What came of a posted step.
enum StepOutcome: Sendable {
  /// On to this path.
  case moved(String)
  /// The same page again, as it stands in the draft now.
  case again(Language?)
  /// These errors stand against it.
  case refused([ValidationError])
  /// Not all that was typed is kept; these fields are what is.
  case adjusted([InputAdjustment], StepFields)
  /// Nothing is wrong, but a value is asked about once; it is kept, and the next Continue takes it.
  case asked
  /// Somebody else has changed these fields since the page was made; nothing was written.
  case changed(StepFields)
}

extension StepVisit {
  /// Lets a posted form happen to the draft: its fields, then what its button asks for.
  ///
  /// A form that was made from another state of its fields than they have now does not overwrite
  /// them, unless it says the same.
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
        return .changed(before)
      }
      draft = edited
      switch form.action {
      case .language(let language): return .again(language)
      case .again: return .again(nil)
      case .back:
        if draft.step == step { draft.handle(.back) }
        return .moved(step.previous?.path ?? "/")
      case .next:
        let typed = draft
        let outcome = Self.finish(step, &draft, facts, errors)
        if case .moved = outcome, asks(start) {
          draft = typed
          return .asked
        }
        let adjusted = before.entries.flatMap {
          InputAdjustment.of($0.field, form[$0.field.rawValue])
        }
        // Said before it goes on: the next Continue has what is kept.
        guard case .moved = outcome, !adjusted.isEmpty else { return outcome }
        return .adjusted(adjusted, draft.fields(of: step))
      }
    }
  }

  /// Keeps what is typed, valid or not, and counts it for nothing: 204 and the new state of the fields, or
  /// 409 when another tab has changed them since the page was made (seed 021, FR-004).
  func keep(
    _ form: PostedForm, of step: FlowStep,
    edit: @escaping @Sendable (inout ReportDraft) -> [ValidationError]
  ) async throws -> Response {
    let outcome = try await take(
      PostedForm(form, action: "typed"), of: step, facts: .now(), edit: edit)
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

  private static func finish(
    _ step: FlowStep, _ draft: inout ReportDraft, _ facts: FlowFacts, _ errors: [ValidationError]
  ) -> StepOutcome {
    var tried = draft
    let outcome = tried.handle(.continued(step, facts))
    guard errors.isEmpty else {
      // The others are shown as well, and nothing counts.
      draft.handle(.reopened(step))
      guard case .refused(let others) = outcome else { return .refused(errors) }
      let fields = errors.map(\.field)
      return .refused(errors + others.filter { !fields.contains($0.field) })
    }
    draft = tried
    switch outcome {
    case .refused(let errors): return .refused(errors)
    case .moved(let next): return .moved(next.path)
    case .unchanged, .changed, .left: return .moved(draft.step.path)
    }
  }
}
