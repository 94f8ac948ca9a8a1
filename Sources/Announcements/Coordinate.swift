import Foundation

/// A point on earth in decimal degrees, north and east positive (seed 058, `Coordinate`).
public struct Coordinate: Sendable, Hashable, Codable {
  /// Degrees north of the equator, -90 to 90.
  public let latitude: Double
  /// Degrees east of Greenwich, -180 to 180.
  public let longitude: Double

  /// Creates a point. Returns `nil` if a number is out of range or NaN.
  public init?(latitude: Double, longitude: Double) {
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Decodes a point. Throws `DecodingError` if a number is out of range.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    guard
      let point = Self(
        latitude: try container.decode(Double.self, forKey: .latitude),
        longitude: try container.decode(Double.self, forKey: .longitude))
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .latitude, in: container, debugDescription: "coordinate out of range")
    }
    self = point
  }

  /// The mean radius of the earth in kilometers (decision 27).
  public static let earthRadius = 6371.0

  /// Returns the great-circle distance to `other` in kilometers, by the haversine formula.
  ///
  /// The haversine is clamped to 0...1, because rounding can push it past 1 for opposite points. The result would then
  /// be NaN.
  public func distance(to other: Self) -> Double {
    let radians = Double.pi / 180
    let sineOfHalfLatitude = sin((other.latitude - latitude) * radians / 2)
    let sineOfHalfLongitude = sin((other.longitude - longitude) * radians / 2)
    let haversine =
      sineOfHalfLatitude * sineOfHalfLatitude
      + cos(latitude * radians) * cos(other.latitude * radians)
      * sineOfHalfLongitude * sineOfHalfLongitude
    return 2 * Self.earthRadius * asin(min(1, max(0, haversine)).squareRoot())
  }
}
