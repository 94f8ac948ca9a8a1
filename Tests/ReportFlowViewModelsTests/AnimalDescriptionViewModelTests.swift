import Announcements
import Foundation
import MetricsTestKit
import PhotoAttachments
import PhotoIngestion
import TestReports
import Testing

@testable import ReportFlow
@testable import ReportFlowViewModels

/// A source of positions whose results the test chooses.
private struct TestLocation: LocationService {
  var status = LocationAuthorization.notDetermined
  var answer = LocationAuthorization.authorizedWhenInUse
  var position: Coordinate?
  func authorizationStatus() -> LocationAuthorization { status }
  func requestAuthorization() -> LocationAuthorization { answer }
  func currentLocation() throws -> Coordinate {
    guard let position else { throw LocationError.unavailable }
    return position
  }
}

@MainActor @Suite struct AnimalDescriptionViewModelTests {
  let cache: TestCache
  let flow: ReportMissingPetFlowState

  init() throws {
    cache = try TestCache()
    flow = try cache.flow()
    let context = FlowContext(
      today: day("2025-11-20"), now: Date(timeIntervalSince1970: 0), photoIsValid: true)
    flow.handle(.continued(.chip, context))
    flow.handle(.continued(.photo, context))
  }

  private func model(
    now: String = "2025-11-20T11:00:00Z", zone: String = "Europe/Warsaw",
    location: any LocationService = FixedLocationService(nil), language: Language = .en
  ) throws -> AnimalDescriptionViewModel {
    AnimalDescriptionViewModel(
      flowState: flow,
      environment: try .test(now: now, zone: zone, location: location, cache: cache),
      language: language)
  }

  private func fill(_ model: AnimalDescriptionViewModel) {
    model.selectedSpecies = dog
    model.race = "  Labrador  "
    model.selectedGender = .male
  }

  @Test func anEmptyFormHasTodayAndNoErrors() throws {
    let model = try model()
    #expect(model.disappearanceDate == day("2025-11-20"))
    #expect(model.petName == "" && model.selectedSpecies == nil && model.race == "")
    #expect(model.selectedGender == nil && model.age == "" && model.latitude == "")
    #expect(model.longitude == "" && model.additionalDescription == "" && model.errors.isEmpty)
    #expect(flow.draft.descriptionInput.date == nil)
  }

  @Test func continueWithTheRequiredFieldsGoesOn() throws {
    let model = try model()
    var calls = 0
    model.onContinue = { calls += 1 }
    fill(model)
    #expect(model.continueTapped() == .moved(to: .contact))
    #expect(calls == 1 && model.toasts.toast == nil)
    #expect(flow.breed == "Labrador")
    #expect(flow.dateOfDisappearance == day("2025-11-20"))
  }

  @Test func allErrorsAtOnceInlineAndAToast() throws {
    let model = try model(language: .pl)
    model.onContinue = { Issue.record("must not go on") }
    model.age = "abc"
    model.latitude = "100"
    model.continueTapped()
    #expect(
      model.errors == [
        .missingSpecies, .missingRace, .missingGender, .invalidAge("age.notWhole"),
        .invalidLatitude("location.latitudeRange"), .invalidLongitude("location.longitudeMissing"),
      ])
    #expect(model.toasts.toast == .correctFields)
    #expect(model.speciesDropdownModel.errorMessage == "Wybierz gatunek")
    #expect(model.raceTextFieldModel.errorMessage == "Wpisz rasę zwierzęcia")
    #expect(model.genderSelectorModel.errorMessage == "Wybierz płeć")
    #expect(
      model.ageTextFieldModel.errorMessage
        == "Wpisz wiek w pełnych latach (1–40), np. 5, albo zostaw puste pole")
    #expect(
      model.locationCoordinateModel.latitudeField.errorMessage
        == "Szerokość geograficzna: liczba od −90 do 90")
    #expect(
      model.locationCoordinateModel.longitudeField.errorMessage
        == "Wpisz też długość geograficzną albo wyczyść oba pola")
    #expect(flow.animalDescription == nil && flow.draft.step == .description)
    model.onContinue = nil
    // The next attempt starts without these errors.
    fill(model)
    (model.age, model.latitude) = ("5", "")
    #expect(model.continueTapped() == .moved(to: .contact))
    #expect(model.errors.isEmpty && model.toasts.toast == nil)
  }

  @Test func choosingClearsErrorsLive() throws {
    let model = try model()
    model.continueTapped()
    model.race = ""
    #expect(model.errors.of(.race) != nil)
    model.selectedSpecies = dog
    #expect(model.errors == [.missingGender])
    model.selectedGender = .female
    #expect(model.errors.isEmpty && model.genderSelectorModel.selectedIndex == 1)
    model.selectedGender = .male  // excludes the other
    #expect(model.genderSelectorModel.selectedIndex == 0)
    model.continueTapped()
    #expect(model.errors == [.missingRace])
    model.race = "P"
    #expect(model.errors.isEmpty)
  }

  @Test func aFutureDateIsRefusedInlineAndThePriorOneStays() throws {
    let model = try model()
    model.disappearanceDate = day("2025-11-18")
    model.disappearanceDate = day("2025-11-21")
    #expect(model.disappearanceDate == day("2025-11-18"))
    #expect(model.dateFieldModel.errorMessage == "The date cannot be in the future")
    model.disappearanceDate = day("2025-11-20")
    #expect(model.dateFieldModel.errorMessage == nil)
    #expect(try cache.reopened().draft.descriptionInput.date == day("2025-11-20"))
  }

  /// The day that the person meant is the day that is stored, on both sides of midnight (lesson P21).
  @Test(arguments: [
    ("Europe/Warsaw", "2025-11-20T22:59:00Z", "2025-11-20"),
    ("Europe/Warsaw", "2025-11-20T23:01:00Z", "2025-11-21"),
    ("Pacific/Honolulu", "2025-11-21T09:59:00Z", "2025-11-20"),
    ("Pacific/Honolulu", "2025-11-21T10:01:00Z", "2025-11-21"),
    ("Pacific/Auckland", "2025-11-20T10:59:00Z", "2025-11-20"),
    ("Pacific/Auckland", "2025-11-20T11:01:00Z", "2025-11-21"),
  ])
  func todayAroundMidnight(zone: String, now: String, today: String) throws {
    let model = try model(now: now, zone: zone)
    #expect(model.disappearanceDate == day(today))
    model.disappearanceDate = day("2025-11-22")
    #expect(model.errors == [.futureDate])
    model.disappearanceDate = day(today)  // today is never the future
    #expect(model.errors.isEmpty)
    fill(model)
    #expect(model.continueTapped() == .moved(to: .contact))
    let stored = try cache.reopened().dateOfDisappearance
    #expect(stored?.description == today)
    // The announcement has the same day, whatever the hour in UTC.
    flow.handle(.edited(.name("Ola")))
    flow.handle(.edited(.phone("1234567")))
    flow.handle(
      .continued(.contact, FlowContext(today: day(today), now: instant(now), photoIsValid: true)))
    let report = try #require(NewAnnouncement(flow.draft))
    #expect(report.dateOfDisappearance.description == today)
    #expect(report.invalidFields(now: instant(now)).isEmpty)
  }

  /// A day that was shown before midnight counts after midnight, too.
  @Test func midnightBetweenScreenAndContinueChangesNothing() throws {
    let time = TestTime("2025-11-20T22:59:00Z")
    var environment = try FlowEnvironment.test(cache: cache)
    environment.now = time.now
    let model = AnimalDescriptionViewModel(
      flowState: flow, environment: environment, language: .en)
    fill(model)
    time.advance(120)
    #expect(environment.today == day("2025-11-21"))
    #expect(model.continueTapped() == .moved(to: .contact))
    #expect(try cache.reopened().dateOfDisappearance == day("2025-11-20"))
  }

  @Test func speciesAndRaceBelongTogether() throws {
    let model = try model()
    #expect(model.raceTextFieldModel.isDisabled)
    #expect(model.raceTextFieldModel.helperText == "Choose species first")
    model.race = "ignored"
    #expect(model.race == "" && model.raceSuggestions.isEmpty)
    model.selectedSpecies = dog
    #expect(!model.raceTextFieldModel.isDisabled && model.raceTextFieldModel.helperText == nil)
    model.race = "labr"
    #expect(model.raceSuggestions == ["Labrador Retriever"])
    model.selectedSpecies = cat
    #expect(model.race == "" && model.raceSuggestions.contains("Maine Coon"))
    #expect(!model.raceSuggestions.contains("Labrador Retriever"))
  }

  @Test func gpsFillsBothFieldsAndSaysSo() async throws {
    let model = try model(location: TestLocation(position: point(40.7128, -74.006)))
    await model.requestGPSPosition()
    #expect(model.latitude == "40.71280" && model.longitude == "-74.00600")
    let helper = model.locationCoordinateModel.helperText
    #expect(helper == "Location added. Everyone will see it on a map.")
    #expect(flow.draft.descriptionInput.capture?.captureMethod == .gps)
    #expect(flow.draft.descriptionInput.capture?.permissionStatus == .authorizedWhenInUse)
    #expect(
      flow.draft.descriptionInput.capture?.timestamp == instant("2025-11-20T11:00:00Z"))
    #expect(model.permissionAlert == nil)
    model.latitude = "41"
    #expect(flow.draft.descriptionInput.capture?.captureMethod == .manual)
  }

  @Test(arguments: [LocationAuthorization.denied, .restricted])
  func aRefusedPermissionShowsTheAlertOnEveryAttempt(_ status: LocationAuthorization) async throws {
    let model = try model(location: TestLocation(status: status, position: point(1, 1)))
    var opened = 0
    model.onOpenSettings = { opened += 1 }
    await model.requestGPSPosition()
    #expect(model.permissionAlert?.cancelTitle == "Cancel")
    #expect(model.permissionAlert?.settingsTitle == "Go to Settings")
    model.permissionAlertCancelled()
    #expect(model.permissionAlert == nil && opened == 0)
    await model.requestGPSPosition()
    #expect(model.permissionAlert != nil)
    model.goToSettingsTapped()
    #expect(model.permissionAlert == nil && opened == 1)
    #expect(model.latitude == "" && model.longitude == "")
  }

  @Test func aDenialOnAskingShowsTheAlert() async throws {
    let model = try model(location: TestLocation(answer: .denied, position: point(1, 1)))
    await model.requestGPSPosition()
    #expect(model.isPermissionAlertShown && model.latitude == "")
  }

  @Test func withoutAFixTheHelperSaysSoAndTypingGoesOn() async throws {
    let model = try model(location: TestLocation(status: .authorizedAlways))
    #expect(model.locationCoordinateModel.helperText == nil)
    await model.requestGPSPosition()
    #expect(
      model.locationCoordinateModel.helperText?.hasPrefix("We couldn’t get your location") == true)
    #expect(!model.isPermissionAlertShown)
    fill(model)
    (model.latitude, model.longitude) = ("52,2297", " 21.0122 ")
    #expect(model.continueTapped() == .moved(to: .contact))
    #expect(flow.location == point(52.2297, 21.0122))
    #expect(flow.locationCapture?.captureMethod == .manual)
    #expect(flow.locationCapture?.permissionStatus == .authorizedAlways)
  }

  @Test func thePhotosPositionIsTakenOnlyWhenAccepted() async throws {
    let model = try model()
    #expect(model.photoPositionOffer == nil)
    model.usePhotoPosition()
    #expect(model.latitude == "")
    let photoStep = PhotoViewModel(
      flowState: flow, environment: try .test(cache: cache),
      intake: .pipeline(PhotoPipeline(decoding: .inProcess)), language: .en)
    await photoStep.select(testImage("one-pixel.gif"))
    let photo = try #require(flow.photoAttachment)
    // The position of another photo isn't offered.
    let place = point(52.2297, 21.0117)
    flow.handle(.photoPlaced(PhotoPlace(photo: UUID(), coordinate: place)))
    #expect(model.photoPositionOffer == nil)
    flow.handle(.photoPlaced(PhotoPlace(photo: photo.id, coordinate: place)))
    #expect(model.photoPositionOffer?.contains("52.2297° N, 21.0117° E") == true)
    #expect(model.latitude == "")
    model.usePhotoPosition()
    #expect(model.latitude == "52.22970" && model.longitude == "21.01170")
    #expect(flow.draft.descriptionInput.capture?.captureMethod == .manual)
    #expect(flow.draft.descriptionInput.capture?.permissionStatus == .notDetermined)
  }

  /// A position from an argument doesn't count as the device's (decision 45).
  @Test func aPositionFromTheCommandLineIsManual() async throws {
    let model = try model(location: FixedLocationService(point(40.7128, -74.006)))
    await model.requestGPSPosition()
    #expect(model.latitude == "40.71280")
    #expect(flow.draft.descriptionInput.capture?.captureMethod == .manual)
  }

  @Test func aReopenedFormShowsWhatWasTyped() throws {
    let model = try model()
    fill(model)
    (model.petName, model.age, model.additionalDescription) = ("Max", "5", "red collar")
    (model.latitude, model.longitude) = ("52.2", "21")
    model.disappearanceDate = day("2025-11-10")
    var backs = 0
    model.onBack = { backs += 1 }
    model.backTapped()
    #expect(backs == 1 && flow.draft.step == .photo && flow.animalDescription == nil)
    let again = AnimalDescriptionViewModel(
      flowState: try cache.reopened(), environment: try .test(cache: cache), language: .en)
    #expect(again.petName == "Max" && again.age == "5" && again.race == "  Labrador  ")
    #expect(again.selectedSpecies == dog && again.selectedGender == .male)
    #expect(again.latitude == "52.2" && again.additionalDescription == "red collar")
    #expect(again.disappearanceDate == day("2025-11-10"))
  }

  @Test func theCounterAndTheLimit() throws {
    let model = try model()
    model.additionalDescription = "four"
    #expect(model.descriptionTextAreaModel.characterCountText == "4/500")
    #expect(model.descriptionTextAreaModel.characterCountColor == .secondary)
    model.additionalDescription = String(repeating: "é", count: 600)
    #expect(model.descriptionTextAreaModel.characterCountText == "500/500")
    #expect(model.descriptionTextAreaModel.characterCountColor == .warning)
    #expect(model.additionalDescription.count == 500)
  }

  @Test func theOfflineListIsSaidAndDoesNotBlock() throws {
    let model = try model()
    #expect(model.speciesDropdownModel.banner == nil)
    model.isTaxonomyOffline = true
    #expect(model.speciesDropdownModel.banner == "Using offline list")
    fill(model)
    #expect(model.continueTapped() == .moved(to: .contact))
  }

  /// Identifiers have the form `{screen}.{element}`, and are equal in both languages (lesson P29).
  @Test func theComponentModelsOfTheSeed() throws {
    let (en, pl) = (try model(), try model(language: .pl))
    for model in [en, pl] {
      #expect(
        model.petNameTextFieldModel.accessibilityID == "animalDescription.animalNameTextField.input"
      )
      #expect(model.speciesDropdownModel.accessibilityID == "animalDescription.speciesDropdown.tap")
      #expect(model.raceTextFieldModel.accessibilityID == "animalDescription.raceTextField.input")
      #expect(
        model.genderSelectorModel.accessibilityIDs
          == ["animalDescription.gender.male.tap", "animalDescription.gender.female.tap"])
      #expect(model.genderSelectorModel.accessibilityIDPrefix == "animalDescription.gender")
      #expect(model.ageTextFieldModel.accessibilityID == "animalDescription.ageTextField.input")
      let place = model.locationCoordinateModel
      #expect(place.latitudeField.accessibilityID == "animalDescription.latitudeTextField.input")
      #expect(place.longitudeField.accessibilityID == "animalDescription.longitudeTextField.input")
      #expect(place.gpsButtonAccessibilityID == "animalDescription.requestGPSButton.tap")
      #expect(place.latitudeField.keyboardType == .decimalPad)
      #expect(model.ageTextFieldModel.keyboardType == .numberPad)
      #expect(
        model.descriptionTextAreaModel.accessibilityID
          == "animalDescription.descriptionTextArea.input")
      #expect(model.dateFieldModel.accessibilityID == "animalDescription.datePicker.tap")
    }
    #expect(en.speciesDropdownModel.placeholder == "Select an option")
    #expect(pl.speciesDropdownModel.placeholder == "Wybierz opcję")
    #expect(en.speciesDropdownModel.options.count == 7)
    #expect(en.genderSelectorModel.options == ["Male", "Female"])
    #expect(pl.genderSelectorModel.options == ["Samiec", "Samica"])
    #expect(en.locationCoordinateModel.gpsButtonTitle == "Request GPS position")
    #expect(en.petNameTextFieldModel.placeholder == "Animal name (optional)")
    #expect(en.raceTextFieldModel.label == "Animal race")
    #expect(en.locationCoordinateModel.latitudeField.placeholder == "e.g., 52.2297")
    #expect(en.locationCoordinateModel.longitudeField.placeholder == "e.g., 21.0122")
    #expect(
      en.speciesDropdownModel.options
        == ["Dog", "Cat", "Bird", "Rabbit", "Rodent", "Reptile", "Other"])
    fill(en)
    #expect(en.speciesDropdownModel.selectedIndex == 0 && en.genderSelectorModel.selectedIndex == 0)
  }

  @Test func completionIsALogEventAndAMetric() throws {
    let metrics = TestMetrics()
    var environment = try FlowEnvironment.test(cache: cache)
    environment.events = FlowEvents(logger: cache.logger, metrics: metrics)
    let model = AnimalDescriptionViewModel(
      flowState: flow, environment: environment, language: .en)
    model.continueTapped()
    #expect(cache.log.all.isEmpty && metrics.counters.isEmpty)
    fill(model)
    model.continueTapped()
    #expect(cache.log.all == ["info: missing_pet.step3_completed"])
    #expect(try metrics.expectCounter("missing_pet.step3_completed").totalValue == 1)
  }
}
