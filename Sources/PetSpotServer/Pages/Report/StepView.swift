import Announcements
import HTTPTypes
import HummingbirdCore
import ReportFlow

/// The data that the pages of all steps have.
struct StepView {
  let step, title: String
  /// Identifies the draft for the page's script, and grants no access to it.
  let draft: String
  /// The text below the title.
  let intro: String?
  /// The fingerprint of the fields that the page was made from.
  let seen: String
  /// The test IDs of the two buttons.
  let continueID, backID: String
  /// `true` if the form sends a file.
  let isPhoto: Bool
  /// `true` if there is something that starting over would delete.
  let hasContent: Bool
  /// `true` if the texts can't change, because the announcement exists.
  let isFixed: Bool
  /// Fields that another tab has changed.
  let changed: ChangedView?
  /// Texts that were adjusted after typing. `nil` if there was no need.
  let adjusted: ChangedView?
  /// The fields by name.
  let field: [String: FieldView]
  /// The data that only this step has.
  let own: Any
}

/// A message about fields that another tab has changed, or whose texts were adjusted.
struct ChangedView {
  struct Line { let name, text: String }
  let lines: [Line]
}

extension ChangedView {
  /// Lists the fields of `theirs` whose texts differ from those on the page.
  init(
    _ theirs: StepFields, mine: [FormField: String], taxonomy: SpeciesTaxonomy, in words: Words
  ) {
    lines = theirs.entries.filter { $0.text != mine[$0.field] ?? "" }.map { entry in
      let shown =
        switch entry.field {
        case .species: taxonomy.option(id: entry.text)?.displayName(in: words) ?? entry.text
        case .gender: Gender(rawValue: entry.text)?.displayName(in: words) ?? entry.text
        default: entry.text
        }
      return Line(
        name: words(entry.field.name),
        text: shown.isEmpty ? words("page.nothing") : shown)
    }
  }
}

/// The state of a step, as its page shows it.
struct StepState: Sendable {
  /// The text of each field.
  let texts: [FormField: String]
  let errors: [ValidationError]
  /// Fields that another tab has changed.
  let changed: StepFields?
  /// Texts that were adjusted after typing.
  let adjusted: [InputAdjustment]
  /// Lines of the summary besides those of fields.
  let problems: [ErrorEntry]

  /// Reads the step from the draft, with the reason why its form was refused when Continue was last pressed.
  ///
  /// - Parameter problems: reasons besides those of fields.
  init(
    _ draft: ReportDraft, _ step: FlowStep, _ context: FlowContext, problems: [ErrorEntry] = []
  ) {
    let refusal = draft.refusals[step]
    let fields = draft.fields(of: step)
    texts = refusal?.typed ?? fields.texts
    changed = refusal?.typed == nil ? nil : fields
    adjusted = refusal?.adjusted ?? []
    errors = draft.errors(of: step, context)
    self.problems = problems
  }
}

extension StepVisit {
  /// Returns the page of a step.
  ///
  /// - Parameters:
  ///   - status: the status of the response, unless it's 200.
  ///   - own: the data that only this step has.
  ///   - fields: the fields of the form.
  func page(
    _ step: FlowStep, intro: TextKey?, testID: String, backID: String? = nil,
    toastID: String, toast: TextKey = "flow.correctFields", _ state: StepState,
    status: HTTPResponse.Status? = nil, fields: [FieldView], own: Any
  ) async -> Response {
    let draft = await session.draft
    let taxonomy = await stores.species.taxonomy
    var head = PageHead(words(step.title), step: step)
    var problems = state.problems
    if draft.refusals[step]?.reason == "review.stepOpen" {
      problems.insert(ErrorEntry(text: words("review.stepOpen")), at: 0)
    }
    head.errors = problems + state.errors.lines(in: words)
    if let status { head.status = status }
    head.returnTo = step.path
    if !state.errors.isEmpty { head.toast = ToastView(text: words(toast), testID: toastID) }
    let view = StepView(
      step: step.rawValue, title: words(step.title), draft: String(cookie.draft.suffix(16)),
      intro: intro.map { words($0) },
      seen: draft.fields(of: step).fingerprint, continueID: testID,
      backID: backID ?? "reportMissingPet.backButton", isPhoto: step == .photo,
      hasContent: !draft.isUntouched, isFixed: draft.isAnnounced,
      changed: state.changed.map {
        ChangedView($0, mine: state.texts, taxonomy: taxonomy, in: words)
      },
      adjusted: state.adjusted.isEmpty ? nil : adjustedView(state.adjusted),
      field: Dictionary(fields.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first }),
      own: own)
    return renderer.page(step.rawValue, view, head, cookies: [cookie.setCookie])
  }

  private func adjustedView(_ list: [InputAdjustment]) -> ChangedView {
    ChangedView(
      lines: list.map {
        ChangedView.Line(
          name: words($0.field.name), text: $0.message(in: words))
      })
  }

  /// Returns the redirect after an outcome. If every step is complete, Continue leads to the review, from which the
  /// visitor came to change something.
  func answer(_ outcome: StepOutcome, of step: FlowStep, anchor: String = "") async -> Response {
    switch outcome {
    case .moved(let path):
      let isReviewed = path == step.next.path ? await session.draft.missingSteps.isEmpty : false
      return see(isReviewed ? ReviewPage.path : path)
    case .again(let language): return see(step.path + anchor, language: language)
    case .changed: return see(step.path)
    }
  }
}
