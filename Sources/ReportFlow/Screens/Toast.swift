import Announcements
public import Observation

/// A short message that disappears automatically.
public struct Toast: Sendable, Equatable {
  /// The key of its text.
  public let text: TextKey
  /// The time it stays on screen, in seconds.
  public let seconds: Double

  /// Returns the text in the reader's language.
  public func message(in words: Words) -> String { words(text) }

  /// The toast for a Continue without a photo (decision 8).
  public static let photoIsMandatory = Toast(text: "photo.mandatory", seconds: 3)
  /// The toast for a Continue with errors, which are shown beside the fields.
  public static let correctFields = Toast(text: "flow.correctFields", seconds: 3)
  /// The variant of `correctFields` for surfaces that can't highlight fields, such as a terminal. The names of the
  /// fields follow it.
  public static let correctThese = Toast(text: "flow.correctThese", seconds: 3)
  /// The toast for a copied management password.
  public static let codeCopied = Toast(text: "summary.copied", seconds: 2)
}

/// Shows one toast at a time and hides it when its time is up.
@MainActor @Observable
public final class ToastPresenter {
  /// The toast on screen, or `nil`.
  public private(set) var toast: Toast?

  @ObservationIgnored private let clock: any Clock<Duration>
  @ObservationIgnored private var hiding: Task<Void, Never>?

  /// Creates a presenter that times toasts with `clock`.
  public init(clock: any Clock<Duration> = ContinuousClock()) { self.clock = clock }

  /// Shows `toast` in place of any other. Each call restarts the time.
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

  /// Hides the toast now.
  public func hide() {
    hiding?.cancel()
    hiding = nil
    toast = nil
  }

  /// Waits until the current toast was hidden or replaced.
  func settled() async { await hiding?.value }
}

/// The alert for a position request without permission (decision 18).
public struct PermissionAlert: Sendable, Equatable {
  /// The title.
  public let title: String
  /// The advice.
  public let message: String
  /// The title of the button that continues without a position.
  public let cancelTitle: String
  /// The title of the button that opens the system settings.
  public let settingsTitle: String
  /// The prefix of the identifiers in tests, such as `startup.permissionPopup`.
  public let accessibilityIDPrefix: String
}

/// The alert for a failed submission.
public struct SubmissionAlert: Sendable, Equatable {
  /// The problem and its remedy.
  public let message: TextKey
  /// The incomplete steps, or an empty array if they aren't the problem.
  public let missingSteps: [FlowStep]
}

extension SubmissionAlert {
  /// Creates the alert for an error. Blames the network only for errors that come from it.
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
