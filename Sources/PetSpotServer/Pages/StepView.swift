import Announcements
import HTTPTypes
import HummingbirdCore
import ReportFlow

/// What the pages of all steps show.
struct StepView {
  let step, title: String
  /// Names the draft to the page's script, and grants no access to it.
  let draft: String
  /// What stands below the title.
  let intro: String?
  /// Which state of the fields the page was made from.
  let seen: String
  /// Names the two buttons in tests.
  let continueID, backID: String
  /// Whether the form sends a file.
  let isPhoto: Bool
  /// Whether the words are fixed, because the announcement exists.
  let isFixed: Bool
  /// What another tab wrote.
  let changed: ChangedView?
  /// What was not kept of what was typed; nil when everything was.
  let adjusted: ChangedView?
  /// Fields by their names.
  let field: [String: FieldView]
  /// What only this step has.
  let own: Any
}

/// What is said about some fields: what another tab wrote in them, or what was not kept.
struct ChangedView {
  struct Line { let name, text: String }
  let lines: [Line]
}

extension ChangedView {
  /// What differs in `theirs` from what stands in the fields.
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

/// How a step's page is to be shown.
struct StepState: Sendable {
  /// What stands in the fields.
  let texts: [FormField: String]
  let errors: [ValidationError]
  /// What another tab wrote.
  let changed: StepFields?
  /// What was not kept of what was typed.
  let adjusted: [InputAdjustment]
  /// Lines of the summary beside those of fields.
  let problems: [ErrorEntry]

  /// The step as it stands in the draft, with why its last Continue was refused.
  ///
  /// - Parameter problems: of the refusal, beside those of fields.
  init(
    _ draft: ReportDraft, _ step: FlowStep, _ facts: FlowFacts, problems: [ErrorEntry] = []
  ) {
    let (refusal, fields) = (draft.refusals[step], draft.fields(of: step))
    texts = refusal?.typed ?? fields.texts
    changed = refusal?.typed == nil ? nil : fields
    adjusted = refusal?.adjusted ?? []
    errors = draft.errors(of: step, facts)
    self.problems = problems
  }
}

extension StepVisit {
  /// The page of a step.
  ///
  /// - Parameters:
  ///   - status: of an answer that is no page of the step as it stands.
  ///   - own: what only this step has.
  ///   - fields: which fields stand in it as they are.
  func page(
    _ step: FlowStep, intro: TextKey?, testID: String, backID: String? = nil,
    toastID: String, toast: TextKey = "flow.correctFields", _ state: StepState,
    status: HTTPResponse.Status? = nil, fields: [FieldView], own: Any
  ) async -> Response {
    let (draft, taxonomy) = (await session.draft, await site.species.taxonomy)
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
      isFixed: draft.isAnnounced,
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

  /// Where the browser goes after an outcome.
  func answer(_ outcome: StepOutcome, of step: FlowStep, anchor: String = "") -> Response {
    switch outcome {
    case .moved(let path): see(path)
    case .again(let language): see(step.path + anchor, language: language)
    case .changed: see(step.path)
    }
  }
}
