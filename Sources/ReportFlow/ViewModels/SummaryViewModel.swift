public import Observation

/// After step 4: the report has been created, and its management password is shown once.
@MainActor @Observable
public final class SummaryViewModel {
  /// The language of the texts.
  public var words: Words
  /// The password on screen; empty when it was shown before.
  public let managementPassword: String
  /// The message at the screen's edge.
  public let toasts: ToastPresenter
  /// Puts a text on the clipboard.
  @ObservationIgnored public var copyToClipboard: ((String) -> Void)?
  /// Called when the flow is over.
  @ObservationIgnored public var onClose: (() -> Void)?

  private let flowState: ReportMissingPetFlowState

  /// The summary of this session. The password stays in the draft until the summary is closed, so
  /// that a power cut before that does not lose it.
  public init(flowState: ReportMissingPetFlowState, environment: FlowEnvironment, words: Words) {
    (self.flowState, self.words) = (flowState, words)
    managementPassword = flowState.managementPassword ?? ""
    toasts = ToastPresenter(clock: environment.clock)
  }

  /// Copies the password and says so for two seconds; nothing happens without one.
  public func passwordTapped() {
    guard !managementPassword.isEmpty, let copyToClipboard else { return }
    copyToClipboard(managementPassword)
    toasts.show(.codeCopied)
  }

  /// Close: the password is forgotten and the flow is over.
  public func closeTapped() {
    flowState.handle(.passwordShown)
    onClose?()
  }
}
