public import Observation
public import PhotoModel
public import ReportFlow

/// Guides a person through the steps of an app in order and creates the view model of each step (decision 13). The
/// programs of this package have their own screens.
@MainActor @Observable
public final class ReportMissingPetCoordinator {
  /// The session.
  public let flowState: ReportMissingPetFlowState
  /// The language of the texts.
  public var language: Language
  package var words: Words { Words(language) }
  /// `true` once the flow was left or closed.
  public private(set) var isFinished = false
  /// Runs after the report was submitted, so that lists can be reloaded.
  @ObservationIgnored public var onSubmitted: (() -> Void)?

  private let environment: FlowEnvironment
  private let intake: PhotoIntake
  private let submission: AnnouncementSubmissionService

  /// Creates a coordinator that resumes the session where it was left.
  public init(
    flowState: ReportMissingPetFlowState, environment: FlowEnvironment, intake: PhotoIntake,
    submission: AnnouncementSubmissionService, language: Language
  ) {
    self.flowState = flowState
    self.environment = environment
    self.intake = intake
    self.submission = submission
    self.language = language
  }

  /// The step on screen.
  public var step: FlowStep { flowState.draft.step }

  /// The number of the step out of four, such as `3/4`, or `nil` on the summary.
  public var progressText: String? { step.progressText(in: words) }

  /// The identifier of the progress indicator in tests.
  public let progressAccessibilityID = "reportMissingPet.progressIndicator"

  /// The title of the screen.
  public var title: String { words(step.title) }

  /// Creates the model of step 1.
  public func makeChipNumber() -> ChipNumberViewModel {
    let model = ChipNumberViewModel(
      flowState: flowState, environment: environment, language: language)
    model.onBack = { [weak self] in self?.isFinished = true }
    return model
  }

  /// Creates the model of step 2.
  public func makePhoto() -> PhotoViewModel {
    PhotoViewModel(
      flowState: flowState, environment: environment, intake: intake, language: language)
  }

  /// Creates the model of step 3.
  public func makeAnimalDescription() -> AnimalDescriptionViewModel {
    AnimalDescriptionViewModel(flowState: flowState, environment: environment, language: language)
  }

  /// Creates the model of step 4.
  public func makeContactDetails() -> ContactDetailsViewModel {
    let model = ContactDetailsViewModel(
      flowState: flowState, environment: environment, submission: submission, language: language)
    model.onSubmitted = { [weak self] _ in self?.onSubmitted?() }
    return model
  }

  /// Creates the model of the summary.
  public func makeSummary() -> SummaryViewModel {
    let model = SummaryViewModel(flowState: flowState, environment: environment, language: language)
    model.onClose = { [weak self] in self?.isFinished = true }
    return model
  }
}
