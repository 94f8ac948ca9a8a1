/// The place where a pet was last seen (seed 058, `Location`).
public struct Location: Sendable, Equatable, Codable {
  /// Degrees north of the equator, -90 to 90.
  public let latitude: Double
  /// Degrees east of Greenwich, -180 to 180.
  public let longitude: Double
  /// The name of the place, at most 200 characters, or `nil` if not given.
  public let address: String?

  /// The maximum length of an address in characters.
  public static let maxAddressLength = 200

  /// Creates a place at `coordinate`. Returns `nil` if the address is longer than 200 characters.
  public init?(_ coordinate: Coordinate, address: String? = nil) {
    guard address?.fits(characters: Self.maxAddressLength) ?? true else { return nil }
    latitude = coordinate.latitude
    longitude = coordinate.longitude
    self.address = address
  }

  /// Decodes a place. Throws `DecodingError` if a number is out of range or the address is too long.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let address = try container.decodeIfPresent(String.self, forKey: .address)
    guard let place = Self(try Coordinate(from: decoder), address: address) else {
      throw DecodingError.dataCorruptedError(
        forKey: .address, in: container, debugDescription: "address too long")
    }
    self = place
  }

  /// The coordinate for distances. It is never `nil`, because both initializers check the ranges.
  public var coordinate: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
}
