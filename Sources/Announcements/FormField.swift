/// A field of a report (seed 031, `FormField`, and the fields of the other steps), in the order of the steps
/// and of their forms. The texts about it are called `near.label`, `near.placeholder`, `near.help`.
public enum FormField: String, Sendable, CaseIterable, Codable {
  case chip, photo
  case date, petName, species, race, gender, age, near, latitude, longitude, description
  case name, phone, email, reward

  /// The most characters, as a person counts them, of a text whose surplus is left out.
  public var maxLength: Int? {
    switch self {
    case .near: 80
    case .description: Announcement.maxDescriptionLength
    case .reward: 120
    default: nil
    }
  }

  /// The most characters of a typed text; surplus ones are left out or an error.
  package var limit: Int { maxLength ?? (self == .email ? 254 : 100) }

  /// Whether a text is typed, and not a value chosen.
  public var isText: Bool { ![.photo, .date, .species, .gender].contains(self) }
}

extension FormField: CodingKey {
  /// Its key in stored drafts and in announcements.
  public var stringValue: String { self == .description ? "additionalDescription" : rawValue }
}

/// The optional texts of a report that its announcement shows unchanged. Each of them is checked,
/// sent, stored and moved by its field's name.
public struct PublishedTexts: Sendable, Equatable {
  /// Their fields.
  public static let fields: [FormField] = [.near, .reward]

  private var texts: [FormField: String] = [:]

  /// No text.
  public init() {}

  /// The text of each field that has one.
  public init(_ text: (FormField) throws -> String?) rethrows {
    for field in Self.fields { texts[field] = try text(field) }
  }

  /// A text, nil when there is none.
  public subscript(field: FormField) -> String? {
    get { texts[field] }
    set { texts[field] = newValue }
  }
}

extension PublishedTexts: Codable {
  /// Reads the texts among the other members of an object.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: FormField.self)
    try self.init { try values.decodeIfPresent(String.self, forKey: $0) }
  }

  /// Adds the texts to the members of an object; nil is left out.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: FormField.self)
    for field in Self.fields { try values.encodeIfPresent(texts[field], forKey: field) }
  }
}
