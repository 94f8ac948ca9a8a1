public import Announcements
public import Observation
public import PhotoModel
public import ReportFlow

/// The model of step 4, the reporter's contact details. Its Continue submits the report (decision 21).
@MainActor @Observable
public final class ContactDetailsViewModel {
  /// The language of the texts.
  public var language: Language
  package var words: Words { Words(language) }
  /// The errors since the last Continue, by field.
  public private(set) var errors: [ValidationError] = []
  /// `true` during a submission. Continue has no effect then.
  public private(set) var isSubmitting = false
  /// The reason why the submission failed, or `nil`.
  public private(set) var alert: SubmissionAlert?
  /// The presenter of the short messages at the edge of the screen.
  public let toasts: ToastPresenter
  /// Runs after the report was submitted, with the management password, or with `nil` if it was shown before.
  @ObservationIgnored public var onSubmitted: ((String?) -> Void)?
  /// Runs when the person goes back.
  @ObservationIgnored public var onBack: (() -> Void)?

  private let flowState: ReportMissingPetFlowState
  private let environment: FlowEnvironment
  private let submission: AnnouncementSubmissionService

  /// Creates the model of this session's step.
  public init(
    flowState: ReportMissingPetFlowState, environment: FlowEnvironment,
    submission: AnnouncementSubmissionService, language: Language
  ) {
    self.flowState = flowState
    self.environment = environment
    self.submission = submission
    self.language = language
    toasts = ToastPresenter(clock: environment.clock)
  }

  /// The typed text of a field. Input that the field can't hold is dropped.
  public subscript(field: FormField) -> String {
    get { flowState.draft.contactInput[field] }
    set { flowState.handle(.edited(.typed(field, newValue))) }
  }

  /// Validates and accepts the fields without submitting. Shows the toast and all errors at once.
  private func validate() -> FlowOutcome {
    errors = []
    toasts.hide()
    let outcome = flowState.handle(.continued(.contact, environment.context()))
    if case .refused(let refused) = outcome {
      errors = refused
      toasts.show(.correctFields)
    }
    return outcome
  }

  /// Validates the fields and submits the report. A failure shows an alert and keeps all inputs.
  public func continueTapped() async {
    guard !isSubmitting, case .moved = validate() else { return }
    await submit()
  }

  /// Resumes the submission where it stopped. This is the alert's "Try Again" button.
  public func tryAgainTapped() async {
    guard !isSubmitting else { return }
    await submit()
  }

  /// Dismisses the alert. This is its "Cancel" button.
  public func alertCancelled() { alert = nil }

  /// Goes back and keeps all inputs.
  public func backTapped() {
    flowState.handle(.back)
    onBack?()
  }

  private func submit() async {
    alert = nil
    isSubmitting = true
    defer { isSubmitting = false }
    do {
      let created = try await submission.submit(flowState)
      onSubmitted?(created.managementPassword)
    } catch {
      alert = SubmissionAlert(error)
    }
  }

  /// Returns the model of one field.
  public func fieldModel(_ field: FormField) -> ValidatedTextField.Model {
    field.model(
      flowState.draft.text(of: field), errors: errors, isDisabled: isSubmitting, in: words)
  }

  /// The models of the four fields, in the order on screen.
  public var fieldModels: [ValidatedTextField.Model] { FlowStep.contact.fields.map(fieldModel) }
}
