/// What to show when a position was asked for and its use is refused (decision 18).
public struct PermissionAlert: Sendable, Equatable {
  /// The heading.
  public let title: String
  /// What can be done.
  public let message: String
  /// The button that goes on without a position.
  public let cancelTitle: String
  /// The button that opens the system's settings.
  public let settingsTitle: String
  /// Names the alert's parts in tests, as `startup.permissionPopup`.
  public let accessibilityIDPrefix: String
}

/// What to show when a submission failed.
public struct SubmissionAlert: Sendable, Equatable {
  /// What happened and what can be done.
  public let message: TextKey
  /// The steps that are not done; empty when that is not the reason.
  public let missingSteps: [FlowStep]
}
