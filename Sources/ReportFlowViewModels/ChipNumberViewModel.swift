import Announcements
public import Observation
public import PhotoModel
public import ReportFlow

/// The model of step 1, the optional microchip number.
@MainActor @Observable
public final class ChipNumberViewModel {
  /// The language of the texts.
  public var language: Language
  package var words: Words { Words(language) }
  /// Runs when the step is complete.
  @ObservationIgnored public var onContinue: (() -> Void)?
  /// Runs when the person leaves the flow.
  @ObservationIgnored public var onBack: (() -> Void)?

  private let flowState: ReportMissingPetFlowState
  private let environment: FlowEnvironment

  /// Creates the model of this session's step.
  public init(
    flowState: ReportMissingPetFlowState, environment: FlowEnvironment, language: Language
  ) {
    self.flowState = flowState
    self.environment = environment
    self.language = language
  }

  /// The text of the field, as digits in groups of five. The setter drops all other characters.
  public var chipNumber: String {
    get { flowState.draft.chipInput }
    set { flowState.handle(.edited(.typed(.chip, newValue))) }
  }

  /// The model of the text field.
  public var textFieldModel: ValidatedTextField.Model {
    FormField.chip.model(chipNumber, in: words)
  }

  /// Completes the step with any number of digits, including none.
  @discardableResult
  public func continueTapped() -> FlowOutcome {
    let outcome = flowState.handle(.continued(.chip, environment.context()))
    if case .moved = outcome { onContinue?() }
    return outcome
  }

  /// Leaves the flow and keeps the draft.
  public func backTapped() {
    flowState.handle(.back)
    onBack?()
  }
}
