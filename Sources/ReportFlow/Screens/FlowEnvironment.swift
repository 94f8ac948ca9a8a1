public import Announcements
public import Foundation
public import Logging
public import Metrics

/// The external services of the view models, which tests replace.
public struct FlowEnvironment: Sendable {
  /// Returns the current time.
  public var now: @Sendable () -> Date
  /// The time zone of the reporter's calendar day.
  public var timeZone: TimeZone
  /// The clock that times toasts.
  public var clock: any Clock<Duration>
  /// The source of positions.
  public var location: any LocationService
  /// The receiver of the flow's events.
  public var events: FlowEvents
  /// The source of the species list, or `nil` to use only the bundled one.
  public var taxonomy: TaxonomySource?

  /// Creates an environment. The defaults are those of a real device.
  public init(
    now: @escaping @Sendable () -> Date = { Date() }, timeZone: TimeZone = .current,
    clock: any Clock<Duration> = ContinuousClock(),
    location: any LocationService = FixedLocationService(nil), events: FlowEvents,
    taxonomy: TaxonomySource? = nil
  ) {
    self.now = now
    self.timeZone = timeZone
    self.clock = clock
    self.location = location
    self.events = events
    self.taxonomy = taxonomy
  }

  /// The current day in the reporter's time zone.
  public var today: CalendarDay { CalendarDay(now(), in: timeZone) }

  package func context(photoIsValid: Bool = false, shownDay: CalendarDay? = nil) -> FlowContext {
    FlowContext(today: today, now: now(), photoIsValid: photoIsValid, shownDay: shownDay)
  }
}

/// The receiver of the flow's events, which sends each as a log entry and a metric (decision 20).
public struct FlowEvents: Sendable {
  /// The label of the event that step 3 was completed (seed 021, FR-012).
  public static let step3Completed = "missing_pet.step3_completed"

  private let logger: Logger
  private let metrics: any MetricsFactory

  /// Creates a receiver that sends to `logger` and `metrics`.
  public init(logger: Logger, metrics: any MetricsFactory = MetricsSystem.factory) {
    self.logger = logger
    self.metrics = metrics
  }

  package func step3Completed(draft: String) {
    logger.info("\(Self.step3Completed)", metadata: ["draft": "\(draft)"])
    Counter(label: Self.step3Completed, factory: metrics).increment()
  }
}
