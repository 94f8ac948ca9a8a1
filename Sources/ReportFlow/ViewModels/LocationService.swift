public import Announcements
import Foundation

/// Whether a person allows an application to know where they are.
public enum LocationAuthorization: String, Sendable, Codable, CaseIterable {
  case notDetermined, restricted, denied, authorizedWhenInUse, authorizedAlways

  /// Whether a position may be asked for.
  public var isAuthorized: Bool { self == .authorizedWhenInUse || self == .authorizedAlways }
  /// Whether the person, or a policy set for them, has said no.
  public var isRefused: Bool { self == .denied || self == .restricted }
}

/// A source of the person's position (decision 17).
public protocol LocationService: Sendable {
  /// What is allowed now.
  func authorizationStatus() async -> LocationAuthorization
  /// Asks the person, when nothing is decided yet; returns what is allowed then.
  func requestAuthorization() async -> LocationAuthorization
  /// The position, found once; throws when there is none.
  func currentLocation() async throws -> Coordinate
  /// Whether the device itself finds its positions: only those count as `gps` (decision 45).
  var isDevice: Bool { get }
}

extension LocationService {
  /// True, as for a receiver.
  public var isDevice: Bool { true }
}

/// Why there is no position.
public enum LocationError: Error, Equatable {
  case unavailable
}

/// A position that the person entered, as on the command line, and thereby allows to be used.
public struct FixedLocationService: LocationService {
  private let coordinate: Coordinate?

  /// A source of this position; nil means that there is no source, which counts as restricted.
  public init(_ coordinate: Coordinate?) { self.coordinate = coordinate }

  /// Authorized with a position, else restricted.
  public func authorizationStatus() -> LocationAuthorization {
    coordinate == nil ? .restricted : .authorizedWhenInUse
  }
  /// False: the position was typed.
  public var isDevice: Bool { false }
  /// There is no prompt to show; the same as `authorizationStatus`.
  public func requestAuthorization() -> LocationAuthorization { authorizationStatus() }
  /// The position; throws `LocationError.unavailable` without one.
  public func currentLocation() throws -> Coordinate {
    guard let coordinate else { throw LocationError.unavailable }
    return coordinate
  }
}

/// What came of asking for a position.
public struct LocationResult: Sendable, Equatable {
  /// What the person allows.
  public let authorization: LocationAuthorization
  /// The position; nil when it is not allowed or cannot be found.
  public let location: Coordinate?

  /// A result of these values.
  public init(authorization: LocationAuthorization, location: Coordinate?) {
    (self.authorization, self.location) = (authorization, location)
  }
}

/// Asks for permission if that isn't decided yet, then for the position (seed 058,
/// `LocationPermissionHandler`).
public struct LocationPermissionHandler: Sendable {
  private let service: any LocationService

  /// A handler of `service`.
  public init(_ service: any LocationService) { self.service = service }

  /// The position when it is allowed and found. Asks once while nothing is decided, never after a
  /// refusal, and fetches only when allowed.
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

/// Coordinates as text.
public enum CoordinateText {
  /// Degrees with five decimals and a dot, as GPS values fill the fields (seed 021, FR-009).
  public static func fiveDecimals(_ degrees: Double) -> String { decimals(degrees, 5) }

  /// Degrees with two decimals and a dot, about a kilometer: as addresses of pages say a place.
  public static func twoDecimals(_ degrees: Double) -> String { decimals(degrees, 2) }

  /// A place with four decimals and hemispheres, `52.2297° N, 21.0122° E`, in Polish with decimal
  /// commas; 0 counts as N and E.
  public static func place(_ point: Coordinate, in words: Words) -> String {
    func part(_ degrees: Double, _ positive: TextKey, _ negative: TextKey) -> String {
      let number = decimals(abs(degrees), 4).replacing(".", with: words("number.decimalSign"))
      return "\(number)° \(words(degrees < 0 ? negative : positive))"
    }
    return part(point.latitude, "location.north", "location.south") + ", "
      + part(point.longitude, "location.east", "location.west")
  }

  /// The question whether to take a photo's position.
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
