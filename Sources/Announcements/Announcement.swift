public import Foundation

/// Whether a pet is still missing, and what became of it (seed 058, `AnnouncementStatus`).
public enum AnnouncementStatus: String, Sendable, Codable, CaseIterable {
  /// The pet is missing.
  case lost = "Lost"
  /// Somebody found the pet.
  case found = "Found"
  /// Its reporter closed the announcement; lists never carry it.
  case closed = "Closed"
}

/// Whether an animal is male or female (seed 031, `Gender`).
public enum Gender: String, Sendable, Codable, CaseIterable {
  case male, female
}

/// One pet that is missing or was found, as others see it (seed 058, `Announcement`).
///
/// An announcement that exists is valid: making and reading one refuses what the seed's rules
/// refuse.
public struct Announcement: Sendable, Equatable, Identifiable {
  /// Identifies the announcement; not empty.
  public let id: String
  /// The pet's name, 1 to 100 characters. Without one the species' English word stands in, since
  /// seed 058 requires a name, and `details.petNameGiven` is false (decision 36).
  public let petName: String
  /// One of `Dog`, `Cat`, `Bird`, `Other`.
  public let species: String
  /// What became of the pet.
  public var status: AnnouncementStatus
  /// Where to load the photo, `http` or `https`; nil means a placeholder is shown.
  public var photoUrl: URL?
  /// Where the pet was last seen; nil when not given, and then no distance is shown.
  public let location: Location?
  /// What else the reporter says, at most 500 characters.
  public let description: String?
  /// The reporter's name; not empty.
  public let contactName: String
  /// The reporter's phone number: digits, spaces, dashes, parentheses and a leading plus.
  public let contactPhone: String
  /// When the announcement was made, to the millisecond.
  public let createdAt: Date
  /// When it last changed, not before `createdAt`.
  public var updatedAt: Date
  /// What the reporter says beyond the fields of seed 058.
  public var details: Details

  /// What an announcement knows beyond seed 058; every field may be missing.
  public struct Details: Sendable, Equatable {
    /// Whether `petName` is what the reporter called the pet.
    public var petNameGiven = true
    /// The species of the taxonomy, such as `rabbit`, which `species` calls `Other`.
    public var speciesID: String?
    /// Breed in the reporter's words.
    public var breed: String?
    /// Male or female.
    public var sex: Gender?
    /// Whole years, 1 to 40.
    public var age: Int?
    /// The day of the disappearance where the reporter lives.
    public var dateOfDisappearance: CalendarDay?
    /// The place and the reward in the reporter's words.
    public var texts = PublishedTexts()
    /// SHA-256 of the photo's blob in hexadecimal, for surfaces that hold the blobs themselves.
    public var photoSHA256: String?
    /// The photo's record on this machine, for surfaces that hold the photos themselves; not on the
    /// wire.
    public var photoID: UUID?
    /// How large that photo is, for the same surfaces; not on the wire.
    public var photoPixels: PhotoPixels?
    /// The language that it was reported in, such as `pl`; nil when that isn't known. Not on the wire.
    public var language: String?
    /// What its short address ends with, for surfaces that have one; not on the wire.
    public var shortCode: String?
    /// Why an operator took the announcement down, which closes it for visitors (decision 43); nil when
    /// it was not taken down. Not on the wire.
    public var hiddenReason: String?

    /// Details that say nothing.
    public init() {}
  }

  /// Makes an announcement; throws `AnnouncementError.invalid` naming every field that breaks a
  /// rule of seed 058.
  public init(
    id: String, petName: String, species: String, status: AnnouncementStatus, photoUrl: URL? = nil,
    location: Location?, description: String? = nil, contactName: String, contactPhone: String,
    createdAt: Date, updatedAt: Date, details: Details = Details()
  ) throws(AnnouncementError) {
    (self.id, self.petName, self.species, self.status) = (id, petName, species, status)
    (self.photoUrl, self.location, self.description) = (photoUrl, location, description)
    (self.contactName, self.contactPhone) = (contactName, contactPhone)
    (self.createdAt, self.updatedAt, self.details) = (createdAt, updatedAt, details)
    let issues = invalidFields
    guard issues.isEmpty else { throw .invalid(issues) }
  }

  private var invalidFields: [String] {
    let rules: [(String, Bool)] = [
      ("id", !id.isEmpty),
      ("petName", petName.fits(characters: Self.maxNameLength) && !petName.isBlank),
      ("species", AnnouncementSpecies.words.contains(species)),
      ("photoUrl", photoUrl.map(Self.isWebAddress) ?? true),
      ("description", description?.fits(characters: Self.maxDescriptionLength) ?? true),
      // Of one that was closed long ago they are deleted.
      ("contactName", status == .closed || !contactName.isBlank),
      ("contactPhone", status == .closed || PhoneNumber.isWellFormed(contactPhone)),
      ("updatedAt", updatedAt >= createdAt),
    ]
    return rules.filter { !$0.1 }.map(\.0)
  }

  /// The longest pet name in characters.
  public static let maxNameLength = 100
  /// The longest breed in characters.
  public static let maxBreedLength = 100
  /// The longest description in characters as a person counts them.
  public static let maxDescriptionLength = 500

  static func isWebAddress(_ url: URL) -> Bool {
    ["http", "https"].contains(url.scheme?.lowercased()) && url.host?.isEmpty == false
  }

  /// Throws `takenDown` or `closed` unless visitors may see the announcement (decisions 33 and 43).
  public func requireOpen() throws(AnnouncementError) {
    if let reason = details.hiddenReason { throw .takenDown(id: id, reason: reason) }
    if status == .closed { throw .closed(id: id) }
  }

  /// The way from `point` in kilometers; nil when either place is not known.
  public func distance(from point: Coordinate?) -> Double? {
    guard let point, let place = location?.coordinate else { return nil }
    return point.distance(to: place)
  }
}

/// The size of a photo in pixels, upright.
public struct PhotoPixels: Sendable, Equatable {
  /// Pixels across.
  public let width: Int
  /// Pixels down.
  public let height: Int

  /// A width and a height.
  public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }
}

/// The species of seed 058, and how the taxonomy's species (seed 031) map to them.
public enum AnnouncementSpecies {
  /// Every word that may stand in `Announcement.species`.
  public static let words = ["Dog", "Cat", "Bird", "Other"]

  /// What a pet of this species of the taxonomy is called in English when it has no name: `Rabbit`
  /// for `rabbit`, `Guinea pig` for `guinea-pig`.
  public static func petName(forID id: String) -> String {
    let word = id.replacing("-", with: " ")
    return word.prefix(1).uppercased() + word.dropFirst()
  }

  /// The word for a species of the taxonomy: its own when seed 058 lists it, else `Other`.
  public static func word(forID id: String) -> String {
    words.first { $0.lowercased() == id.lowercased() } ?? "Other"
  }
}

extension StringProtocol {
  /// Whether there is nothing but white space.
  var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

extension String {
  /// Whether a database takes the text as it is: in one with a zero byte it would see the text before
  /// it, and with that another name.
  package var isStorable: Bool { !utf8.contains(0) }
}
