public import Foundation

/// The facts that a reporter enters. They are the body of the request that creates an announcement (seed 046), without
/// the photo.
public struct NewAnnouncement: Sendable, Equatable {
  /// The place where the pet was last seen. It is `nil` if not given, never 0,0.
  public var location: Coordinate?
  /// The place in words, at most 200 characters, if it doesn't fit `texts[.near]`.
  public var address: String?
  /// The reporter's name, at most 100 characters.
  public var ownerName: String
  /// The reporter's phone number, 7 to 15 digits.
  public var ownerPhone: String
  /// The species' id in the taxonomy, such as `dog`.
  public var species: String
  /// The breed in the reporter's words, at most 100 characters.
  public var breed: String
  /// The pet's sex.
  public var sex: Gender
  /// The age in whole years, 1 to 40, or `nil` if not known.
  public var age: Int?
  /// The day of the disappearance in the reporter's time zone.
  public var dateOfDisappearance: CalendarDay
  /// Further details, at most 500 characters.
  public var description: String?
  /// The pet's name, trimmed, or `nil` if the pet has no name.
  public var petName: String?
  /// The reporter's e-mail address.
  public var email: String?
  /// The microchip's digits, at most 15.
  public var microchipNumber: String?
  /// The place, which may be given without `location`, and the reward, in the reporter's words.
  public var texts = PublishedTexts()

  /// Creates a report with the required facts. The other properties are set afterwards.
  public init(
    species: String, breed: String, sex: Gender, dateOfDisappearance: CalendarDay,
    ownerName: String, ownerPhone: String
  ) {
    self.species = species
    self.breed = breed
    self.sex = sex
    self.dateOfDisappearance = dateOfDisappearance
    self.ownerName = ownerName
    self.ownerPhone = ownerPhone
  }

  /// Returns the names in the body of all fields that break a rule.
  ///
  /// Texts must not contain NUL bytes, because databases and C code take NUL for the end of a text.
  public func invalidFields(now: Date) -> [String] {
    func fits(_ text: String?, _ field: FormField) -> Bool {
      text.map { $0.fits(characters: field.limit) && $0.isStorable } ?? true
    }
    func isGiven(_ text: String, _ field: FormField) -> Bool { fits(text, field) && !text.isBlank }
    var rules: [(String, Bool)] = [
      ("ownerName", isGiven(ownerName, .name)),
      ("ownerPhone", fits(ownerPhone, .phone) && PhoneNumber.isValid(ownerPhone)),
      ("species", isGiven(species, .species)),
      ("breed", isGiven(breed, .race)),
      ("age", age.map((1...40).contains) ?? true),
      ("dateOfDisappearance", !Self.isInFuture(dateOfDisappearance, now: now)),
      ("description", fits(description, .description)),
      ("petName", petName.map { isGiven($0, .petName) } ?? true),
      ("email", fits(email, .email)),
      ("microchipNumber", microchipNumber.map(Self.isChipNumber) ?? true),
      (
        "address",
        address.map { $0.fits(characters: Location.maxAddressLength) && $0.isStorable } ?? true
      ),
    ]
    rules += PublishedTexts.fields.map { ($0.rawValue, fits(texts[$0], $0)) }
    return rules.filter { !$0.1 }.map(\.0)
  }

  /// Returns `true` if the day has not begun anywhere on earth. The body has no time zone, so this uses the earliest
  /// one, UTC+14.
  package static func isInFuture(_ day: CalendarDay, now: Date) -> Bool {
    day > CalendarDay(now, in: TimeZone(secondsFromGMT: 14 * 3600) ?? .gmt)
  }

  private static func isChipNumber(_ text: String) -> Bool {
    (1...15).contains(text.utf8.count) && PhoneNumber.digits(text) == text
  }
}

extension NewAnnouncement: Encodable {
  private enum CodingKeys: CodingKey {
    case location, ownerName, ownerPhone, species, breed, sex, age, dateOfDisappearance
    case description, petName, email, microchipNumber
  }

  /// Encodes the body of seed 046. Fields that are `nil` are left out.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(
      location.flatMap { Location($0, address: address) }, forKey: .location)
    try container.encode(ownerName, forKey: .ownerName)
    try container.encode(ownerPhone, forKey: .ownerPhone)
    try container.encode(species, forKey: .species)
    try container.encode(breed, forKey: .breed)
    try container.encode(sex, forKey: .sex)
    try container.encodeIfPresent(age, forKey: .age)
    try container.encode(dateOfDisappearance, forKey: .dateOfDisappearance)
    try container.encodeIfPresent(description, forKey: .description)
    try container.encodeIfPresent(petName, forKey: .petName)
    try container.encodeIfPresent(email, forKey: .email)
    try container.encodeIfPresent(microchipNumber, forKey: .microchipNumber)
    try texts.encode(to: encoder)
  }
}

/// The rules for phone numbers, shared by the form and the list (seed 058 and decision 21).
public enum PhoneNumber {
  /// Returns `true` if `text` consists of ASCII digits, spaces, dashes, parentheses and a leading plus, and has 7 to 15
  /// digits. Digits of other scripts don't count because phones cannot dial them.
  public static func isValid(_ text: String) -> Bool {
    isWellFormed(text) && (7...15).contains(digits(text).count)
  }

  /// Returns `true` if `text` has only the characters of a phone number and at least one digit.
  static func isWellFormed(_ text: String) -> Bool {
    let body = text.hasPrefix("+") ? text.dropFirst() : text[...]
    return !digits(text).isEmpty
      && body.unicodeScalars.allSatisfy { isDigit($0) || " -()".unicodeScalars.contains($0) }
  }

  /// Returns `true` if a valid number may be mistyped because it has one digit too few or too many for its country.
  package static func looksMistyped(_ text: String) -> Bool {
    guard isValid(text) else { return false }
    let digits = digits(text)
    let isAbroad = text.trimmingCharacters(in: .whitespaces).hasPrefix("+")
    for (country, count) in [("48", 11), ("1", 11), ("380", 12), ("44", 12)]
    where isAbroad && digits.hasPrefix(country) {
      return abs(digits.count - count) == 1
    }
    // Domestic numbers have nine digits in Poland and ten in North America, so eight are suspicious.
    return !isAbroad && !digits.hasPrefix("0") && digits.count == 8
  }

  /// Returns the ASCII digits of `text`, in order.
  public static func digits(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter(isDigit)))
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
