public import Announcements
public import Foundation

/// The contents of step 3 when Continue accepted it (seeds 021 and 031, `AnimalDescriptionDetails`).
public struct AnimalDescriptionDetails: Sendable, Equatable, Codable {
  /// The day of the disappearance, in the reporter's time zone.
  public let disappearanceDate: CalendarDay
  /// The chosen species.
  public let species: SpeciesTaxonomyOption
  /// The breed, trimmed and not empty.
  public let race: String
  /// Male or female.
  public let gender: Gender
  /// The age in whole years, 1 to 40, or `nil` if unknown.
  public let age: Int?
  /// The latitude in degrees north. `nil` if and only if `longitude` is `nil`.
  public let latitude: Double?
  /// The longitude in degrees east. `nil` if and only if `latitude` is `nil`.
  public let longitude: Double?
  /// The description, at most 500 characters, or `nil` if it's empty.
  public let additionalDescription: String?
  /// The other published texts, trimmed.
  public let texts: PublishedTexts
  /// The time when these details were saved.
  public let lastUpdated: Date

  /// Creates details from the values that seed 031 lists.
  public init(
    disappearanceDate: CalendarDay, species: SpeciesTaxonomyOption, race: String, gender: Gender,
    age: Int? = nil, latitude: Double? = nil, longitude: Double? = nil,
    additionalDescription: String? = nil, texts: PublishedTexts = PublishedTexts(),
    lastUpdated: Date = Date()
  ) {
    self.disappearanceDate = disappearanceDate
    self.species = species
    self.race = race
    self.gender = gender
    self.age = age
    self.texts = texts
    self.latitude = latitude
    self.longitude = longitude
    self.additionalDescription = additionalDescription
    self.lastUpdated = lastUpdated
  }

  private enum CodingKeys: CodingKey {
    case disappearanceDate, species, race, gender, age, latitude, longitude
    case additionalDescription, lastUpdated
  }

  /// Decodes stored details. A missing `lastUpdated` is read as 1970, so that these details count as the oldest.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    disappearanceDate = try values.decode(CalendarDay.self, forKey: .disappearanceDate)
    species = try values.decode(SpeciesTaxonomyOption.self, forKey: .species)
    race = try values.decode(String.self, forKey: .race)
    gender = try values.decode(Gender.self, forKey: .gender)
    age = try values.decodeIfPresent(Int.self, forKey: .age)
    latitude = try values.decodeIfPresent(Double.self, forKey: .latitude)
    longitude = try values.decodeIfPresent(Double.self, forKey: .longitude)
    additionalDescription = try values.decodeIfPresent(
      String.self, forKey: .additionalDescription)
    lastUpdated =
      try values.decodeIfPresent(Date.self, forKey: .lastUpdated)
      ?? Date(timeIntervalSince1970: 0)
    texts = try PublishedTexts(from: decoder)
  }

  /// Encodes the details for `init(from:)`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(disappearanceDate, forKey: .disappearanceDate)
    try values.encode(species, forKey: .species)
    try values.encode(race, forKey: .race)
    try values.encode(gender, forKey: .gender)
    try values.encodeIfPresent(age, forKey: .age)
    try values.encodeIfPresent(latitude, forKey: .latitude)
    try values.encodeIfPresent(longitude, forKey: .longitude)
    try values.encodeIfPresent(additionalDescription, forKey: .additionalDescription)
    try values.encode(lastUpdated, forKey: .lastUpdated)
    try texts.encode(to: encoder)
  }

  /// The point of `latitude` and `longitude`, or `nil` if there are no coordinates.
  public var coordinate: Coordinate? {
    guard let latitude, let longitude else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}

/// The ways to reach the reporter (seed 031, `ContactDetails`; decision 21).
public struct ContactDetails: Sendable, Equatable, Codable {
  /// The reporter's name, trimmed and not empty.
  public let name: String
  /// The phone number as typed, trimmed, with 7 to 15 digits.
  public let phone: String
  /// The email address, or `nil` if it's empty.
  public let email: String?
  /// The reward for the finder as typed, at most 120 characters, or `nil` if it's blank.
  public let rewardDescription: String?

  /// Creates details from these values.
  public init(name: String, phone: String, email: String? = nil, rewardDescription: String? = nil) {
    self.name = name
    self.phone = phone
    self.email = email
    self.rewardDescription = rewardDescription
  }
}

/// The position in the form of step 3, and how it was obtained (seed 021, `LocationCapture`).
public struct LocationCapture: Sendable, Equatable, Codable {
  /// The latitude in degrees north, or `nil` if the typed text isn't a number.
  public var latitude: Double?
  /// The longitude in degrees east, or `nil` if the typed text isn't a number.
  public var longitude: Double?
  /// The way the position was obtained. Any edit changes it to `manual`.
  public var captureMethod: CaptureMethod
  /// The time when the position was captured or last edited.
  public var timestamp: Date
  /// The location permission at that time.
  public var permissionStatus: LocationAuthorization

  /// The ways to obtain a position. `gps` is an unedited position from the device, and everything else is `manual`
  /// (decision 45).
  public enum CaptureMethod: String, Sendable, Codable {
    case gps, manual
  }

  /// Creates a capture from these values.
  public init(
    latitude: Double?, longitude: Double?, captureMethod: CaptureMethod, timestamp: Date,
    permissionStatus: LocationAuthorization
  ) {
    self.latitude = latitude
    self.longitude = longitude
    self.captureMethod = captureMethod
    self.timestamp = timestamp
    self.permissionStatus = permissionStatus
  }

  /// Decodes a stored capture. A missing method is read as `manual`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    latitude = try values.decodeIfPresent(Double.self, forKey: .latitude)
    longitude = try values.decodeIfPresent(Double.self, forKey: .longitude)
    captureMethod =
      try values.decodeIfPresent(CaptureMethod.self, forKey: .captureMethod) ?? .manual
    timestamp =
      try values.decodeIfPresent(Date.self, forKey: .timestamp) ?? Date(timeIntervalSince1970: 0)
    permissionStatus =
      try values.decodeIfPresent(LocationAuthorization.self, forKey: .permissionStatus)
      ?? .notDetermined
  }
}
