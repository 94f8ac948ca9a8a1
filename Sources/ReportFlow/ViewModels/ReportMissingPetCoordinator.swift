public import Observation

/// Leads a person through the steps in their order and makes each step's view model (decision 13).
@MainActor @Observable
public final class ReportMissingPetCoordinator {
  /// The session.
  public let flowState: ReportMissingPetFlowState
  /// The language of the texts.
  public var words: Words
  /// Whether the flow was left or closed.
  public private(set) var isFinished = false
  /// Called once the report is submitted, so that lists can be loaded again.
  @ObservationIgnored public var onSubmitted: (() -> Void)?

  private let environment: FlowEnvironment
  private let intake: PhotoIntake
  private let submission: AnnouncementSubmissionService

  /// A coordinator that takes the session up where it was left.
  public init(
    flowState: ReportMissingPetFlowState, environment: FlowEnvironment, intake: PhotoIntake,
    submission: AnnouncementSubmissionService, words: Words
  ) {
    (self.flowState, self.environment, self.intake) = (flowState, environment, intake)
    (self.submission, self.words) = (submission, words)
  }

  /// The step on screen.
  public var step: FlowStep { flowState.draft.step }

  /// The step's number of four, `3/4`; nil on the summary.
  public var progressText: String? { step.progressText(in: words) }

  /// Names the progress in tests.
  public let progressAccessibilityID = "reportMissingPet.progressIndicator"

  /// The screen's title.
  public var title: String { words(step.title) }

  /// Step 1.
  public func makeChipNumber() -> ChipNumberViewModel {
    let model = ChipNumberViewModel(flowState: flowState, environment: environment, words: words)
    model.onBack = { [weak self] in self?.isFinished = true }
    return model
  }

  /// Step 2.
  public func makePhoto() -> PhotoViewModel {
    PhotoViewModel(flowState: flowState, environment: environment, intake: intake, words: words)
  }

  /// Step 3.
  public func makeAnimalDescription() -> AnimalDescriptionViewModel {
    AnimalDescriptionViewModel(flowState: flowState, environment: environment, words: words)
  }

  /// Step 4.
  public func makeContactDetails() -> ContactDetailsViewModel {
    let model = ContactDetailsViewModel(
      flowState: flowState, environment: environment, submission: submission, words: words)
    model.onSubmitted = { [weak self] _ in self?.onSubmitted?() }
    return model
  }

  /// The summary.
  public func makeSummary() -> SummaryViewModel {
    let model = SummaryViewModel(flowState: flowState, environment: environment, words: words)
    model.onClose = { [weak self] in self?.isFinished = true }
    return model
  }
}

extension FlowStep {
  /// The step's number of four, `3/4`; nil on the summary.
  package func progressText(in words: Words) -> String? {
    number.map { words("flow.progress", ["step": String($0), "count": String(Self.count)]) }
  }

  /// The title of the step's screen.
  public var title: TextKey {
    switch self {
    case .chip: "chip.title"
    case .photo: "photo.title"
    case .description: "description.title"
    case .contact: "contact.title"
    case .summary: "summary.title"
    }
  }
}
