/// A field of a report (seed 031, `FormField`, and the fields of the other steps), in the order of the steps and of
/// their forms. The localization keys of a field's texts begin with the field's name: `near.label`, `near.placeholder`,
/// `near.help`.
public enum FormField: String, Sendable, CaseIterable, Codable {
  case chip, photo
  case date, petName, species, race, gender, age, near, latitude, longitude, description
  case name, phone, email, reward

  /// The number of user-perceived characters at which a longer text is cut off. `nil` if the field's text isn't cut
  /// off.
  public var maxLength: Int? {
    switch self {
    case .near: 80
    case .description: Announcement.maxDescriptionLength
    case .reward: 120
    default: nil
    }
  }

  /// The maximum number of characters of a typed text. Surplus is cut off if the field has a `maxLength`, else it is an
  /// error.
  package var limit: Int { maxLength ?? (self == .email ? 254 : 100) }

  /// `true` if the person types a text, `false` if the value is chosen.
  public var isText: Bool { ![.photo, .date, .species, .gender].contains(self) }
}

extension FormField: CodingKey {
  /// The key in stored drafts and in announcements.
  public var stringValue: String { self == .description ? "additionalDescription" : rawValue }
}

/// The optional texts of a report that its announcement shows unchanged. Forms, requests, the database and moves
/// between stores all use the field's name for such a text.
public struct PublishedTexts: Sendable, Equatable {
  /// The fields of these texts.
  public static let fields: [FormField] = [.near, .reward]

  private var texts: [FormField: String] = [:]

  /// Creates an empty collection.
  public init() {}

  /// Creates a collection by calling `text` for every field.
  public init(_ text: (FormField) throws -> String?) rethrows {
    for field in Self.fields { texts[field] = try text(field) }
  }

  /// The text of a field, or `nil` if it is missing.
  public subscript(field: FormField) -> String? {
    get { texts[field] }
    set { texts[field] = newValue }
  }
}

extension PublishedTexts: Codable {
  /// Decodes the texts from the members of an object.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: FormField.self)
    try self.init { try values.decodeIfPresent(String.self, forKey: $0) }
  }

  /// Encodes the texts as members of an object. Texts that are `nil` are left out.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: FormField.self)
    for field in Self.fields { try values.encodeIfPresent(texts[field], forKey: field) }
  }
}
