import Announcements
import ReportFlow
import TestReports
import Testing

@testable import ReportFlowViewModels

@Suite struct LocationServiceTests {
  private let here = point(52.2297, 21.0122)

  @Test func aFixedPositionIsAllowedByBeingGiven() async throws {
    let service = FixedLocationService(here)
    #expect(service.authorizationStatus() == .authorizedWhenInUse)
    let result = await LocationPermissionHandler(service).requestLocationWithPermissions()
    #expect(result == LocationResult(authorization: .authorizedWhenInUse, location: here))
  }

  @Test func withoutASourceTheUseIsRestricted() async {
    let service = FixedLocationService(nil)
    #expect(service.requestAuthorization() == .restricted)
    #expect(throws: LocationError.unavailable) { try service.currentLocation() }
    let result = await LocationPermissionHandler(service).requestLocationWithPermissions()
    #expect(result == LocationResult(authorization: .restricted, location: nil))
  }

  @Test func whichStatesAllowAndRefuse() {
    #expect(
      LocationAuthorization.allCases.filter(\.isAuthorized)
        == [.authorizedWhenInUse, .authorizedAlways])
    #expect(LocationAuthorization.allCases.filter(\.isRefused) == [.restricted, .denied])
  }

  @Test(arguments: [
    (52.2297, 21.0122, "52.2297° N, 21.0122° E"), (-33.8688, -151.2093, "33.8688° S, 151.2093° W"),
    (0, 0, "0.0000° N, 0.0000° E"), (-0.00001, 180, "0.0000° S, 180.0000° E"),
  ])
  func placesAsText(latitude: Double, longitude: Double, text: String) {
    #expect(CoordinateText.place(point(latitude, longitude), in: english) == text)
  }

  @Test func polishNumbersHaveACommaAlsoInPlaces() {
    #expect(
      CoordinateText.place(point(52.2297, -21.0122), in: polish) == "52,2297° N, 21,0122° W")
  }

  @Test(arguments: [
    (52.2297, "52.22970"), (-0.0, "0.00000"), (-0.000001, "0.00000"), (1234.5, "1234.50000"),
    (40.712776, "40.71278"), (-180, "-180.00000"),
  ])
  func fiveDecimals(number: Double, text: String) {
    #expect(CoordinateText.fiveDecimals(number) == text)
  }
}
