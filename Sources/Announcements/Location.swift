/// Where a pet was last seen (seed 058, `Location`).
public struct Location: Sendable, Equatable, Codable {
  /// Degrees north of the equator, -90 to 90.
  public let latitude: Double
  /// Degrees east of Greenwich, -180 to 180.
  public let longitude: Double
  /// What people call the place, at most 200 characters; nil when not given.
  public let address: String?

  /// The longest address in characters.
  public static let maxAddressLength = 200

  /// The place at `coordinate`; nil when the address is longer than 200 characters.
  public init?(_ coordinate: Coordinate, address: String? = nil) {
    guard address?.fits(characters: Self.maxAddressLength) ?? true else { return nil }
    (latitude, longitude) = (coordinate.latitude, coordinate.longitude)
    self.address = address
  }

  /// Reads a place; throws `DecodingError` when a number is out of range or the address too long.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let address = try container.decodeIfPresent(String.self, forKey: .address)
    guard let place = Self(try Coordinate(from: decoder), address: address) else {
      throw DecodingError.dataCorruptedError(
        forKey: .address, in: container, debugDescription: "address too long")
    }
    self = place
  }

  /// The point of the place, for distances; nil never for a place that was made or read here.
  public var coordinate: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
}
