import Announcements
public import Observation

/// A short message that disappears by itself.
public struct Toast: Sendable, Equatable {
  /// What it says.
  public let text: TextKey
  /// How long it stays, in seconds.
  public let seconds: Double

  /// What it says in the reader's language.
  public func message(in words: Words) -> String { words(text) }

  /// Shown when Continue is chosen without a photo (decision 8).
  public static let photoIsMandatory = Toast(text: "photo.mandatory", seconds: 3)
  /// Shown when Continue finds errors, which stand beside the fields.
  public static let correctFields = Toast(text: "flow.correctFields", seconds: 3)
  /// Like `correctFields` where nothing is highlighted, as in a terminal: the fields follow by name.
  public static let correctThese = Toast(text: "flow.correctThese", seconds: 3)
  /// The management password was copied.
  public static let codeCopied = Toast(text: "summary.copied", seconds: 2)
}

/// Shows one toast at a time, and hides it when its time is over.
@MainActor @Observable
public final class ToastPresenter {
  /// The toast on screen; nil for none.
  public private(set) var toast: Toast?

  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private var hiding: Task<Void, Never>?

  /// A presenter whose toasts last by `clock`.
  public init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

  /// Shows `toast` in place of any other; its time starts again with every call.
  public func show(_ toast: Toast) {
    hiding?.cancel()
    self.toast = toast
    hiding = Task { [clock, weak self] in
      guard (try? await clock.sleep(for: .seconds(toast.seconds))) != nil, !Task.isCancelled else {
        return
      }
      self?.toast = nil
    }
  }

  /// Takes the toast away now.
  public func hide() {
    hiding?.cancel()
    hiding = nil
    toast = nil
  }

  /// Waits until the present toast has been taken away or replaced.
  func settled() async { await hiding?.value }
}

/// What to show when a position was asked for and the permission is denied (decision 18).
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

extension SubmissionAlert {
  /// The true reason of a failure: only what comes from a network is blamed on it.
  package init(_ error: any Error) {
    if case SubmissionError.incomplete(let steps) = error {
      self.init(message: "submit.incomplete", missingSteps: steps)
    } else {
      self.init(message: Self.text(of: error), missingSteps: [])
    }
  }

  private static func text(of error: any Error) -> TextKey {
    switch error {
    case AnnouncementError.unavailable: "submit.network"
    case AnnouncementError.duplicateMicrochip: "failure.duplicateChip"
    case AnnouncementError.idempotencyMismatch: "failure.sentOtherwise"
    case AnnouncementError.keyTaken: "failure.keyTaken"
    case SubmissionError.changedMeanwhile: "failure.changedMeanwhile"
    case StoreError.storageFull: "failure.diskFull"
    case StoreError.storage, StoreError.database, StoreError.cacheUnavailable,
      StoreError.serviceFailed:
      "failure.storage"
    case StoreError.busy, StoreError.overloaded: "failure.busy"
    case StoreError.unreachable: "failure.unreachable"
    default: "submit.other"
    }
  }
}
