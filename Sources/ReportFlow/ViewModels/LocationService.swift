public import Announcements
import Foundation

/// A person's permission for an application to use their position.
public enum LocationAuthorization: String, Sendable, Codable, CaseIterable {
  case notDetermined, restricted, denied, authorizedWhenInUse, authorizedAlways

  /// `true` if the position may be requested.
  public var isAuthorized: Bool { self == .authorizedWhenInUse || self == .authorizedAlways }
  /// `true` if the person, or a policy that applies to them, denied permission.
  public var isRefused: Bool { self == .denied || self == .restricted }
}

/// A source of the person's position (decision 17).
public protocol LocationService: Sendable {
  /// Returns the current permission.
  func authorizationStatus() async -> LocationAuthorization
  /// Asks the person if the permission is undecided, and returns the resulting permission.
  func requestAuthorization() async -> LocationAuthorization
  /// Finds the position once. Throws if it isn't available.
  func currentLocation() async throws -> Coordinate
  /// `true` if the device determines the positions itself. Only those count as `gps` (decision 45).
  var isDevice: Bool { get }
}

extension LocationService {
  /// `true`, the value for receivers.
  public var isDevice: Bool { true }
}

/// The reason why there is no position.
public enum LocationError: Error, Equatable {
  case unavailable
}

/// A fixed position that the person entered, such as on the command line. Entering it grants the permission.
public struct FixedLocationService: LocationService {
  private let coordinate: Coordinate?

  /// Creates a source of this position. `nil` means that there is no source, which counts as restricted.
  public init(_ coordinate: Coordinate?) { self.coordinate = coordinate }

  /// Returns `authorizedWhenInUse` if there is a position, or else `restricted`.
  public func authorizationStatus() -> LocationAuthorization {
    coordinate == nil ? .restricted : .authorizedWhenInUse
  }
  /// `false`, because the position was typed.
  public var isDevice: Bool { false }
  /// Returns `authorizationStatus`, because there is no prompt to show.
  public func requestAuthorization() -> LocationAuthorization { authorizationStatus() }
  /// Returns the position. Throws `LocationError.unavailable` without a position.
  public func currentLocation() throws -> Coordinate {
    guard let coordinate else { throw LocationError.unavailable }
    return coordinate
  }
}

/// The result of requesting a position.
public struct LocationResult: Sendable, Equatable {
  /// The person's permission.
  public let authorization: LocationAuthorization
  /// The position, or `nil` if it isn't permitted or can't be found.
  public let location: Coordinate?

  /// Creates a result from these values.
  public init(authorization: LocationAuthorization, location: Coordinate?) {
    (self.authorization, self.location) = (authorization, location)
  }
}

/// Requests permission if it's undecided, and then the position (seed 058, `LocationPermissionHandler`).
public struct LocationPermissionHandler: Sendable {
  private let service: any LocationService

  /// Creates a handler that uses `service`.
  public init(_ service: any LocationService) { self.service = service }

  /// Returns the position if it's permitted and available. Asks only if the permission is undecided, never after a
  /// refusal.
  public func requestLocationWithPermissions() async -> LocationResult {
    var authorization = await service.authorizationStatus()
    if authorization == .notDetermined { authorization = await service.requestAuthorization() }
    guard authorization.isAuthorized else {
      return LocationResult(authorization: authorization, location: nil)
    }
    return LocationResult(
      authorization: authorization, location: try? await service.currentLocation())
  }
}

/// Formats coordinates as text.
public enum CoordinateText {
  /// Returns degrees with five decimals and a dot, the format of GPS values in the fields (seed 021, FR-009).
  public static func fiveDecimals(_ degrees: Double) -> String { decimals(degrees, 5) }

  /// Returns degrees with two decimals and a dot, the format in page URLs. The precision is about a kilometer.
  public static func twoDecimals(_ degrees: Double) -> String { decimals(degrees, 2) }

  /// Returns a place with four decimals and hemispheres, such as `52.2297° N, 21.0122° E`. Polish uses decimal commas.
  /// 0 counts as N and E.
  public static func place(_ point: Coordinate, in words: Words) -> String {
    func part(_ degrees: Double, _ positive: TextKey, _ negative: TextKey) -> String {
      let number = decimals(abs(degrees), 4).replacing(".", with: words("number.decimalSign"))
      return "\(number)° \(words(degrees < 0 ? negative : positive))"
    }
    return part(point.latitude, "location.north", "location.south") + ", "
      + part(point.longitude, "location.east", "location.west")
  }

  /// Returns the question whether to use a photo's position.
  package static func photoOffer(_ point: Coordinate, in words: Words) -> String {
    words("location.photoOffer", ["place": place(point, in: words)])
  }

  private static func decimals(_ number: Double, _ digits: Int) -> String {
    let text = number.formatted(
      .number.precision(.fractionLength(digits)).grouping(.never)
        .locale(Locale(identifier: "en_US_POSIX")))
    return text.hasPrefix("-") && text.allSatisfy({ "-0.".contains($0) })
      ? String(text.dropFirst()) : text
  }
}
