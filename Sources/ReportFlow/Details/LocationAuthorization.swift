/// A person's permission for an application to use their position.
public enum LocationAuthorization: String, Sendable, Codable, CaseIterable {
  case notDetermined, restricted, denied, authorizedWhenInUse, authorizedAlways

  /// `true` if the position may be requested.
  public var isAuthorized: Bool { self == .authorizedWhenInUse || self == .authorizedAlways }
  /// `true` if the person, or a policy that applies to them, denied permission.
  public var isRefused: Bool { self == .denied || self == .restricted }
}
