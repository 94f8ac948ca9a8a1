import Foundation

extension Announcement: Codable {
  private enum CodingKeys: String, CodingKey {
    case id, petName, species, status, photoUrl, location, description, contactName, contactPhone
    case createdAt, updatedAt, speciesID, breed, sex, age, dateOfDisappearance, photoSHA256
    case petNameGiven
  }

  /// Decodes the JSON object of an announcement (seed 058).
  ///
  /// An invalid photo address becomes `nil`, because the seed shows a placeholder then. Details beyond the seed are
  /// optional: an unreadable detail is ignored.
  ///
  /// - Throws: `DecodingError` or `AnnouncementError.invalid` if a required field is missing or a rule is broken.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    var details = Details()
    details.speciesID = try? container.decodeIfPresent(String.self, forKey: .speciesID)
    details.breed = try? container.decodeIfPresent(String.self, forKey: .breed)
    details.sex = try? container.decodeIfPresent(Gender.self, forKey: .sex)
    details.age = try? container.decodeIfPresent(Int.self, forKey: .age)
    details.dateOfDisappearance = try? container.decodeIfPresent(
      CalendarDay.self, forKey: .dateOfDisappearance)
    details.photoSHA256 = try? container.decodeIfPresent(String.self, forKey: .photoSHA256)
    let texts = try decoder.container(keyedBy: FormField.self)
    details.texts = PublishedTexts { try? texts.decodeIfPresent(String.self, forKey: $0) }
    details.petNameGiven =
      (try? container.decodeIfPresent(Bool.self, forKey: .petNameGiven)) ?? true
    let photo = (try? container.decodeIfPresent(String.self, forKey: .photoUrl)) ?? nil
    func date(_ key: CodingKeys) throws -> Date {
      let text = try container.decode(String.self, forKey: key)
      guard let date = WireDate.parse(text) else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: container, debugDescription: "not an ISO 8601 date: \(text)")
      }
      return date
    }
    try self.init(
      id: container.decode(String.self, forKey: .id),
      petName: container.decode(String.self, forKey: .petName),
      species: container.decode(String.self, forKey: .species),
      status: container.decode(AnnouncementStatus.self, forKey: .status),
      photoUrl: photo.flatMap(URL.init(string:)).flatMap { Self.isWebAddress($0) ? $0 : nil },
      location: container.decodeIfPresent(Location.self, forKey: .location),
      description: container.decodeIfPresent(String.self, forKey: .description),
      contactName: container.decode(String.self, forKey: .contactName),
      contactPhone: container.decode(String.self, forKey: .contactPhone),
      createdAt: date(.createdAt), updatedAt: date(.updatedAt), details: details)
  }

  /// Encodes the JSON object of an announcement (seed 058) with the known details. Fields that are `nil` are left out.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(petName, forKey: .petName)
    if !details.petNameGiven { try container.encode(false, forKey: .petNameGiven) }
    try container.encode(species, forKey: .species)
    try container.encode(status, forKey: .status)
    try container.encodeIfPresent(photoUrl?.absoluteString, forKey: .photoUrl)
    try container.encodeIfPresent(location, forKey: .location)
    try container.encodeIfPresent(description, forKey: .description)
    try container.encode(contactName, forKey: .contactName)
    try container.encode(contactPhone, forKey: .contactPhone)
    try container.encode(WireDate.format(createdAt), forKey: .createdAt)
    try container.encode(WireDate.format(updatedAt), forKey: .updatedAt)
    try container.encodeIfPresent(details.speciesID, forKey: .speciesID)
    try container.encodeIfPresent(details.breed, forKey: .breed)
    try container.encodeIfPresent(details.sex, forKey: .sex)
    try container.encodeIfPresent(details.age, forKey: .age)
    try container.encodeIfPresent(details.dateOfDisappearance, forKey: .dateOfDisappearance)
    try details.texts.encode(to: encoder)
    try container.encodeIfPresent(details.photoSHA256, forKey: .photoSHA256)
  }
}

/// Dates on the wire: ISO 8601 in UTC with milliseconds and `Z` (decision 23).
enum WireDate {
  static func format(_ date: Date) -> String {
    date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// Parses ISO 8601 with or without a fraction. SQL's `2025-12-15 10:30:00` is read as UTC.
  static func parse(_ text: String) -> Date? {
    let text =
      text.contains("T") ? text : text.replacing(" ", with: "T", maxReplacements: 1) + "Z"
    return (try? Date(text, strategy: Date.ISO8601FormatStyle()))
      ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
  }
}
