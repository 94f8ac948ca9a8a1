import Announcements
import Foundation
import PhotoIngestion
package import ReportFlow
import Testing

extension FlowEnvironment {
  /// Noon in Warsaw on 20 November 2025, unless said otherwise.
  package static func test(
    now: String = "2025-11-20T11:00:00Z", zone: String = "Europe/Warsaw",
    clock: any Clock<Duration> = ManualClock(),
    location: any LocationService = FixedLocationService(nil), cache: TestCache
  ) throws -> Self {
    let moment = instant(now)
    return Self(
      now: { moment }, timeZone: try #require(TimeZone(identifier: zone)), clock: clock,
      location: location, events: FlowEvents(logger: cache.logger))
  }
}

@MainActor extension ReportMissingPetFlowState {
  /// Fills in and finishes the steps before the summary.
  package func complete(_ environment: FlowEnvironment, photo: String = "one-pixel.gif")
    async throws
  {
    handle(.continued(.chip, environment.facts()))
    let model = PhotoViewModel(
      flowState: self, environment: environment, intake: .pipeline(PhotoPipeline(decoders: nil)),
      words: english)
    await model.select(testImage(photo))
    #expect(model.failure == nil)
    #expect(await model.continueTapped() == .moved(to: .description))
    for edit: DescriptionEdit in [
      .species(dog), .race("Labrador"), .gender(.male), .petName("Max"), .age("5"),
      .captured(
        point(52.2297, 21.0122), .gps,
        LocationContext(now: environment.now(), authorization: .authorizedWhenInUse)),
    ] { handle(.edited(.description(edit))) }
    #expect(handle(.continued(.description, environment.facts())) == .moved(to: .contact))
    handle(.edited(.name("John Doe")))
    handle(.edited(.phone("+48 123 456 789")))
    #expect(handle(.continued(.contact, environment.facts())) == .moved(to: .summary))
  }
}
