public import Announcements
import Foundation

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
  /// `true`, because most services read the device's receiver.
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
