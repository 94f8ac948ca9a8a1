public import Observation
public import PhotoModel
public import ReportFlow

/// The model of the summary after step 4. The report exists, and its management password is shown once.
@MainActor @Observable
public final class SummaryViewModel {
  /// The language of the texts.
  public var language: Language
  package var words: Words { Words(language) }
  /// The password on screen, or an empty string if it was shown before.
  public let managementPassword: String
  /// The presenter of the short messages at the edge of the screen.
  public let toasts: ToastPresenter
  /// Copies a text to the clipboard.
  @ObservationIgnored public var copyToClipboard: ((String) -> Void)?
  /// Runs when the flow is closed.
  @ObservationIgnored public var onClose: (() -> Void)?

  private let flowState: ReportMissingPetFlowState

  /// Creates the summary of this session. The password stays in the draft until the summary is closed, so that a power
  /// failure doesn't lose it.
  public init(
    flowState: ReportMissingPetFlowState, environment: FlowEnvironment, language: Language
  ) {
    self.flowState = flowState
    self.language = language
    managementPassword = flowState.managementPassword ?? ""
    toasts = ToastPresenter(clock: environment.clock)
  }

  /// Copies the password and shows a confirmation for two seconds. Returns without an effect if there is no password.
  public func passwordTapped() {
    guard !managementPassword.isEmpty, let copyToClipboard else { return }
    copyToClipboard(managementPassword)
    toasts.show(.codeCopied)
  }

  /// Erases the password and closes the flow.
  public func closeTapped() {
    flowState.handle(.passwordShown)
    onClose?()
  }
}
