public import Observation
public import ReportFlow

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
