public import Announcements
public import Foundation
public import Logging
public import Metrics

/// What the view models get from outside; tests replace it.
public struct FlowEnvironment: Sendable {
  /// The moment.
  public var now: @Sendable () -> Date
  /// Where the reporter's day begins and ends.
  public var timeZone: TimeZone
  /// Measures how long toasts stay.
  public var clock: any Clock<Duration>
  /// Where positions come from.
  public var location: any LocationService
  /// Where the flow's events go.
  public var events: FlowEvents
  /// Where the list of species comes from; nil for the bundled one alone.
  public var taxonomy: TaxonomySource?

  /// The real world, unless said otherwise.
  public init(
    now: @escaping @Sendable () -> Date = { Date() }, timeZone: TimeZone = .current,
    clock: any Clock<Duration> = ContinuousClock(),
    location: any LocationService = FixedLocationService(nil), events: FlowEvents,
    taxonomy: TaxonomySource? = nil
  ) {
    (self.now, self.timeZone, self.clock) = (now, timeZone, clock)
    (self.location, self.events, self.taxonomy) = (location, events, taxonomy)
  }

  /// The reporter's day.
  public var today: CalendarDay { CalendarDay(now(), in: timeZone) }

  package func facts(photoIsValid: Bool = false, shownDay: CalendarDay? = nil) -> FlowFacts {
    FlowFacts(today: today, now: now(), photoIsValid: photoIsValid, shownDay: shownDay)
  }
}

/// What the flow reports about itself: a log event and a metric for each (decision 20).
public struct FlowEvents: Sendable {
  /// Step 3 was completed (seed 021, FR-012).
  public static let step3Completed = "missing_pet.step3_completed"

  private let logger: Logger
  private let metrics: any MetricsFactory

  /// Events that go to `logger` and `metrics`.
  public init(logger: Logger, metrics: any MetricsFactory = MetricsSystem.factory) {
    (self.logger, self.metrics) = (logger, metrics)
  }

  /// Step 3 of the draft of this id was completed.
  package func step3Completed(draft: String) {
    logger.info("\(Self.step3Completed)", metadata: ["draft": "\(draft)"])
    Counter(label: Self.step3Completed, factory: metrics).increment()
  }
}
