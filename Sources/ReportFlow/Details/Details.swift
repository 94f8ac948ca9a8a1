public import Announcements
public import Foundation

/// What step 3 contained when Continue accepted it (seeds 021 and 031, `AnimalDescriptionDetails`).
public struct AnimalDescriptionDetails: Sendable, Equatable, Codable {
  /// The day of the disappearance where the reporter lives.
  public let disappearanceDate: CalendarDay
  /// The chosen species.
  public let species: SpeciesTaxonomyOption
  /// The breed, trimmed, not empty.
  public let race: String
  /// Male or female.
  public let gender: Gender
  /// Whole years, 1 to 40; nil when not known.
  public let age: Int?
  /// Degrees north, nil together with `longitude`.
  public let latitude: Double?
  /// Degrees east, nil together with `latitude`.
  public let longitude: Double?
  /// At most 500 characters; nil when there is none.
  public let additionalDescription: String?
  /// What else others will read, trimmed.
  public let texts: PublishedTexts
  /// When these details were saved.
  public let lastUpdated: Date

  /// Details of these values, as seed 031 lists them.
  public init(
    disappearanceDate: CalendarDay, species: SpeciesTaxonomyOption, race: String, gender: Gender,
    age: Int? = nil, latitude: Double? = nil, longitude: Double? = nil,
    additionalDescription: String? = nil, texts: PublishedTexts = PublishedTexts(),
    lastUpdated: Date = Date()
  ) {
    (self.disappearanceDate, self.species, self.race) = (disappearanceDate, species, race)
    (self.gender, self.age, self.texts) = (gender, age, texts)
    (self.latitude, self.longitude) = (latitude, longitude)
    (self.additionalDescription, self.lastUpdated) = (additionalDescription, lastUpdated)
  }

  private enum CodingKeys: CodingKey {
    case disappearanceDate, species, race, gender, age, latitude, longitude
    case additionalDescription, lastUpdated
  }

  /// Reads stored details; those that do not say when they were saved are the oldest.
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

  /// Writes details for `init(from:)`.
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

  /// The point of both numbers; nil when there is none.
  public var coordinate: Coordinate? {
    guard let latitude, let longitude else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}

/// How to reach the reporter (seed 031, `ContactDetails`; decision 21).
public struct ContactDetails: Sendable, Equatable, Codable {
  /// The reporter's name, trimmed, not empty.
  public let name: String
  /// The phone number as typed, trimmed; 7 to 15 digits.
  public let phone: String
  /// The e-mail address; nil when there is none.
  public let email: String?
  /// What the finder gets, as typed, at most 120 characters; nil when there is nothing.
  public let rewardDescription: String?

  /// Details of these values.
  public init(name: String, phone: String, email: String? = nil, rewardDescription: String? = nil) {
    (self.name, self.phone, self.email) = (name, phone, email)
    self.rewardDescription = rewardDescription
  }
}

/// Where a position came from (seed 021, `LocationCapture`).
public struct LocationCapture: Sendable, Equatable, Codable {
  /// Degrees north, nil when the typed text is no number.
  public var latitude: Double?
  /// Degrees east, nil when the typed text is no number.
  public var longitude: Double?
  /// Whether the numbers are as captured; any edit makes it `manual`.
  public var captureMethod: CaptureMethod
  /// When the position was captured or last edited.
  public var timestamp: Date
  /// What the person had allowed at that moment.
  public var permissionStatus: LocationAuthorization

  /// The ways to get a position: `gps` is what the device found, unedited; everything else is
  /// `manual` (decision 45).
  public enum CaptureMethod: String, Sendable, Codable {
    case gps, manual
  }

  /// A capture of these values.
  public init(
    latitude: Double?, longitude: Double?, captureMethod: CaptureMethod, timestamp: Date,
    permissionStatus: LocationAuthorization
  ) {
    (self.latitude, self.longitude, self.captureMethod) = (latitude, longitude, captureMethod)
    (self.timestamp, self.permissionStatus) = (timestamp, permissionStatus)
  }

  /// Reads a stored capture; one that does not say how it came about was typed.
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
