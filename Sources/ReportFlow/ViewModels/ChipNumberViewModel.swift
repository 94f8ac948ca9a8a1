import Announcements
public import Observation

/// Step 1: the microchip's number, which is optional.
@MainActor @Observable
public final class ChipNumberViewModel {
  /// The language of the texts.
  public var words: Words
  /// Called when the step is done.
  @ObservationIgnored public var onContinue: (() -> Void)?
  /// Called when the flow is left.
  @ObservationIgnored public var onBack: (() -> Void)?

  private let flowState: ReportMissingPetFlowState
  private let environment: FlowEnvironment

  /// The step of this session.
  public init(flowState: ReportMissingPetFlowState, environment: FlowEnvironment, words: Words) {
    (self.flowState, self.environment, self.words) = (flowState, environment, words)
  }

  /// The field: digits in groups of five; everything else that is set is dropped.
  public var chipNumber: String {
    get { flowState.draft.chipInput }
    set { flowState.handle(.edited(.typed(.chip, newValue))) }
  }

  /// The field as a surface draws it.
  public var textFieldModel: ValidatedTextField.Model {
    FormField.chip.model(chipNumber, in: words)
  }

  /// Continue: any number of digits will do, none as well.
  @discardableResult
  public func continueTapped() -> FlowOutcome {
    let outcome = flowState.handle(.continued(.chip, environment.facts()))
    if case .moved = outcome { onContinue?() }
    return outcome
  }

  /// Back: leaves the flow, the draft is kept.
  public func backTapped() {
    flowState.handle(.back)
    onBack?()
  }
}
