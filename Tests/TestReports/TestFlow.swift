import Announcements
import Foundation
import PhotoIngestion
package import ReportFlow
package import ReportFlowViewModels
import Testing

extension FlowEnvironment {
  /// Returns an environment in which it is noon in Warsaw on 20 November 2025, unless the test passes another time.
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

/// Shorthands for edits, named like their fields.
extension FlowEdit {
  package static func chip(_ text: String) -> Self { .typed(.chip, text) }
  package static func petName(_ text: String) -> Self { .typed(.petName, text) }
  package static func race(_ text: String) -> Self { .typed(.race, text) }
  package static func age(_ text: String) -> Self { .typed(.age, text) }
  package static func name(_ text: String) -> Self { .typed(.name, text) }
  package static func phone(_ text: String) -> Self { .typed(.phone, text) }
  package static func email(_ text: String) -> Self { .typed(.email, text) }
  package static func reward(_ text: String) -> Self { .typed(.reward, text) }
  package static func additionalDescription(_ text: String) -> Self { .typed(.description, text) }
  package static func latitude(_ text: String, _ context: LocationContext) -> Self {
    .coordinate(.latitude, text, context)
  }
  package static func longitude(_ text: String, _ context: LocationContext) -> Self {
    .coordinate(.longitude, text, context)
  }
}

@MainActor extension ReportMissingPetFlowState {
  /// Fills in and finishes all steps before the summary.
  package func complete(_ environment: FlowEnvironment, photo: String = "one-pixel.gif")
    async throws
  {
    handle(.continued(.chip, environment.context()))
    let model = PhotoViewModel(
      flowState: self, environment: environment,
      intake: .pipeline(PhotoPipeline(decoding: .inProcess)),
      language: .en)
    await model.select(testImage(photo))
    #expect(model.failure == nil)
    #expect(await model.continueTapped() == .moved(to: .description))
    for edit: FlowEdit in [
      .species(dog), .race("Labrador"), .gender(.male), .petName("Max"), .age("5"),
      .captured(
        point(52.2297, 21.0122), .gps,
        LocationContext(now: environment.now(), authorization: .authorizedWhenInUse)),
    ] { handle(.edited(edit)) }
    #expect(handle(.continued(.description, environment.context())) == .moved(to: .contact))
    handle(.edited(.name("John Doe")))
    handle(.edited(.phone("+48 123 456 789")))
    #expect(handle(.continued(.contact, environment.context())) == .moved(to: .summary))
  }
}
