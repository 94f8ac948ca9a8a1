public import Announcements
public import ReportFlow

/// The result of requesting a position.
public struct LocationResult: Sendable, Equatable {
  /// The person's permission.
  public let authorization: LocationAuthorization
  /// The position, or `nil` if it isn't permitted or can't be found.
  public let location: Coordinate?

  /// Creates a result from these values.
  public init(authorization: LocationAuthorization, location: Coordinate?) {
    self.authorization = authorization
    self.location = location
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
