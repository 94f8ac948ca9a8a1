public import Announcements
public import Observation

/// Step 4: how to reach the reporter; its Continue submits the report (decision 21).
@MainActor @Observable
public final class ContactDetailsViewModel {
  /// The language of the texts.
  public var words: Words
  /// What is wrong, field by field, since the last Continue.
  public private(set) var errors: [ValidationError] = []
  /// Whether a submission is under way; Continue does nothing meanwhile.
  public private(set) var isSubmitting = false
  /// Why the submission failed; nil when it did not.
  public private(set) var alert: SubmissionAlert?
  /// The message at the screen's edge.
  public let toasts: ToastPresenter
  /// Called with the management password when the report is submitted; nil when it was shown before.
  @ObservationIgnored public var onSubmitted: ((String?) -> Void)?
  /// Called when the step is left backwards.
  @ObservationIgnored public var onBack: (() -> Void)?

  private let flowState: ReportMissingPetFlowState
  private let environment: FlowEnvironment
  private let submission: AnnouncementSubmissionService

  /// The step of this session.
  public init(
    flowState: ReportMissingPetFlowState, environment: FlowEnvironment,
    submission: AnnouncementSubmissionService, words: Words
  ) {
    (self.flowState, self.environment) = (flowState, environment)
    (self.submission, self.words) = (submission, words)
    toasts = ToastPresenter(clock: environment.clock)
  }

  /// What is typed in a field; what it can't hold is left out.
  public subscript(field: FormField) -> String {
    get { flowState.draft.contactInput[field] }
    set { flowState.handle(.edited(.typed(field, newValue))) }
  }

  /// Checks the fields and makes them count, without submitting: every error at once, with the
  /// toast.
  private func validate() -> FlowOutcome {
    errors = []
    toasts.hide()
    let outcome = flowState.handle(.continued(.contact, environment.facts()))
    if case .refused(let refused) = outcome {
      errors = refused
      toasts.show(.correctFields)
    }
    return outcome
  }

  /// Continue: checks the fields, then submits; a failure shows an alert and keeps every input.
  public func continueTapped() async {
    guard !isSubmitting, case .moved = validate() else { return }
    await submit()
  }

  /// The alert's "Try Again": goes on where the submission stopped.
  public func tryAgainTapped() async {
    guard !isSubmitting else { return }
    await submit()
  }

  /// The alert's "Cancel".
  public func alertCancelled() { alert = nil }

  /// Back: nothing typed is lost.
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

  /// One field.
  public func fieldModel(_ field: FormField) -> ValidatedTextField.Model {
    field.model(
      flowState.draft.text(of: field), errors: errors, isDisabled: isSubmitting, in: words)
  }

  /// The four fields in their order on screen.
  public var fieldModels: [ValidatedTextField.Model] { FlowStep.contact.fields.map(fieldModel) }
}
