public import Foundation

/// The status of a pet: missing, found or no longer announced (seed 058, `AnnouncementStatus`).
public enum AnnouncementStatus: String, Sendable, Codable, CaseIterable {
  /// The pet is missing.
  case lost = "Lost"
  /// Somebody found the pet.
  case found = "Found"
  /// The reporter closed the announcement. Lists leave it out.
  case closed = "Closed"
}

/// The sex of an animal (seed 031, `Gender`).
public enum Gender: String, Sendable, Codable, CaseIterable {
  case male, female
}

/// A missing or found pet as the public sees it (seed 058, `Announcement`). Seeds are the numbered documents that
/// PetSpot began with.
///
/// Every value is valid: both the initializer and the decoder reject what breaks a rule of the seed.
public struct Announcement: Sendable, Equatable, Identifiable {
  /// The announcement's identifier, never empty.
  public let id: String
  /// The pet's name, 1 to 100 characters. Seed 058 requires a name: if the pet has none, this is the English word for
  /// its species and `details.petNameGiven` is `false` (decision 36).
  public let petName: String
  /// One of `Dog`, `Cat`, `Bird`, `Other`.
  public let species: String
  /// The pet's status.
  public var status: AnnouncementStatus
  /// The `http` or `https` address of the photo. If it is `nil`, clients show a placeholder.
  public var photoUrl: URL?
  /// The place where the pet was last seen. If it is `nil`, clients show no distance.
  public let location: Location?
  /// Further details from the reporter, at most 500 characters.
  public let description: String?
  /// The reporter's name, not blank unless the announcement is closed.
  public let contactName: String
  /// The reporter's phone number: digits, spaces, dashes, parentheses and a leading plus. It may be empty if the
  /// announcement is closed.
  public let contactPhone: String
  /// The time of creation, to the millisecond.
  public let createdAt: Date
  /// The time of the last change, not before `createdAt`.
  public var updatedAt: Date
  /// Fields beyond those of seed 058.
  public var details: Details

  /// The fields of an announcement beyond seed 058. All are optional.
  public struct Details: Sendable, Equatable {
    /// `true` if `petName` is the name that the reporter entered.
    public var petNameGiven = true
    /// The species in the taxonomy, such as `rabbit`, for which `species` is `Other`.
    public var speciesID: String?
    /// The breed in the reporter's words.
    public var breed: String?
    /// The pet's sex.
    public var sex: Gender?
    /// The age in whole years, 1 to 40.
    public var age: Int?
    /// The day of the disappearance in the reporter's time zone.
    public var dateOfDisappearance: CalendarDay?
    /// The place and the reward in the reporter's words.
    public var texts = PublishedTexts()
    /// The SHA-256 of the photo's blob in hexadecimal, for clients that store the blobs themselves.
    public var photoSHA256: String?
    /// The photo's record on this machine, for code that has the photo store. Not encoded.
    public var photoID: UUID?
    /// The size of that photo, for the same code. Not encoded.
    public var photoPixels: PhotoPixels?
    /// The language of the report, such as `pl`, or `nil` if it isn't known. Not encoded.
    public var language: String?
    /// The last part of the short address, if the server has short addresses. Not encoded.
    public var shortCode: String?
    /// The reason why an operator took the announcement down, which hides it from visitors (decision 43). `nil` if it
    /// was not taken down. Not encoded.
    public var hiddenReason: String?

    /// `true` if the owner closed the announcement because the pet is home. Not encoded.
    public var isHome = false

    /// Creates details with all fields at their defaults.
    public init() {}
  }

  /// Creates an announcement.
  ///
  /// - Throws: `AnnouncementError.invalid` with every field that breaks a rule of seed 058.
  public init(
    id: String, petName: String, species: String, status: AnnouncementStatus, photoUrl: URL? = nil,
    location: Location?, description: String? = nil, contactName: String, contactPhone: String,
    createdAt: Date, updatedAt: Date, details: Details = Details()
  ) throws(AnnouncementError) {
    self.id = id
    self.petName = petName
    self.species = species
    self.status = status
    self.photoUrl = photoUrl
    self.location = location
    self.description = description
    self.contactName = contactName
    self.contactPhone = contactPhone
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.details = details
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
      // Contact data is deleted some time after an announcement is closed.
      ("contactName", status == .closed || !contactName.isBlank),
      ("contactPhone", status == .closed || PhoneNumber.isWellFormed(contactPhone)),
      ("updatedAt", updatedAt >= createdAt),
    ]
    return rules.filter { !$0.1 }.map(\.0)
  }

  /// The maximum length of a pet name in characters.
  public static let maxNameLength = 100
  /// The maximum length of a breed in characters.
  public static let maxBreedLength = 100
  /// The maximum length of a description in user-perceived characters.
  public static let maxDescriptionLength = 500

  static func isWebAddress(_ url: URL) -> Bool {
    ["http", "https"].contains(url.scheme?.lowercased()) && url.host?.isEmpty == false
  }

  /// Throws `takenDown` or `closed` if visitors may not see the announcement (decisions 33 and 43).
  public func requireOpen() throws(AnnouncementError) {
    if let reason = details.hiddenReason { throw .takenDown(id: id, reason: reason) }
    if status == .closed { throw .closed(id: id) }
  }

  /// Returns the distance from `point` in kilometers, or `nil` if either place is unknown.
  public func distance(from point: Coordinate?) -> Double? {
    guard let point, let place = location?.coordinate else { return nil }
    return point.distance(to: place)
  }
}

/// The size of a photo in pixels after it has been turned upright.
public struct PhotoPixels: Sendable, Equatable {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int

  /// Creates a size.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }
}

/// The species of seed 058, and the mapping from the species of the taxonomy (seed 031).
public enum AnnouncementSpecies {
  /// All valid values of `Announcement.species`.
  public static let words = ["Dog", "Cat", "Bird", "Other"]

  /// Returns the English name for a pet without a name: `Rabbit` for `rabbit`, `Guinea pig` for `guinea-pig`.
  public static func petName(forID id: String) -> String {
    let word = id.replacing("-", with: " ")
    return word.prefix(1).uppercased() + word.dropFirst()
  }

  /// Returns the word of seed 058 for a species of the taxonomy, or `Other` if the seed doesn't list it.
  public static func word(forID id: String) -> String {
    words.first { $0.lowercased() == id.lowercased() } ?? "Other"
  }
}

extension StringProtocol {
  /// `true` if the text is empty or has only whitespace.
  var isBlank: Bool { allSatisfy(\.isWhitespace) }
}

extension String {
  /// `true` if a database can store the text unchanged. Databases end a text at a NUL byte, so a text that contains one
  /// would turn into a different, shorter one.
  package var isStorable: Bool { !utf8.contains(0) }
}
