public import Announcements
public import Foundation
import ImageContainers
package import PhotoAttachments

/// What was typed in a step's fields, valid or not; saved with every change, and accepted only by
/// Continue.
public struct TypedTexts: Sendable, Equatable {
  private var texts: [FormField: String] = [:]

  /// Empty fields.
  public init() {}

  /// What stands in a field, at most as much as it holds, or what is enough of it to be refused.
  public subscript(field: FormField) -> String {
    get { texts[field] ?? "" }
    set {
      let typed = newValue.cut(toFit: field.limit).withShortRowsOfMarks
      let text = field.maxLength.map { String(typed.prefix($0)) } ?? typed
      texts[field] = text.isEmpty ? nil : text
    }
  }
}

extension TypedTexts: Codable {
  private static let fields = FormField.allCases.filter(\.isText)

  /// Reads stored texts; what an older version did not have is empty.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: FormField.self)
    for field in Self.fields {
      self[field] = try values.decodeIfPresent(String.self, forKey: field) ?? ""
    }
  }

  /// Adds the texts to the members of an object.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: FormField.self)
    for field in Self.fields { try values.encodeIfPresent(texts[field], forKey: field) }
  }
}

/// What was typed and chosen in step 3.
public struct DescriptionInput: Sendable, Equatable {
  /// The chosen day; nil means today.
  public var date: CalendarDay?
  /// The chosen species.
  public var species: SpeciesTaxonomyOption?
  /// The chosen gender.
  public var gender: Gender?
  /// Where the coordinates came from; nil when both are empty.
  public var capture: LocationCapture?
  private var texts = TypedTexts()

  /// An empty form.
  public init() {}

  /// What is typed in a field.
  public subscript(field: FormField) -> String {
    get { texts[field] }
    set { texts[field] = newValue }
  }
}

extension DescriptionInput: Codable {
  private enum CodingKeys: CodingKey { case date, species, gender, capture }

  /// Reads a stored form; what an older version did not have is empty.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    date = try values.decodeIfPresent(CalendarDay.self, forKey: .date)
    species = try values.decodeIfPresent(SpeciesTaxonomyOption.self, forKey: .species)
    gender = try values.decodeIfPresent(Gender.self, forKey: .gender)
    capture = try values.decodeIfPresent(LocationCapture.self, forKey: .capture)
    texts = try TypedTexts(from: decoder)
  }

  /// Writes a form for `init(from:)`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(date, forKey: .date)
    try values.encodeIfPresent(species, forKey: .species)
    try values.encodeIfPresent(gender, forKey: .gender)
    try values.encodeIfPresent(capture, forKey: .capture)
    try texts.encode(to: encoder)
  }
}

/// Where a draft's photo was taken, according to the original. It is private to the draft: no
/// record of the photo and no announcement contains it (decision 17).
public struct PhotoPlace: Sendable, Equatable, Codable {
  /// The photo; of another one this is not the place.
  public let photo: UUID
  /// The place.
  public let coordinate: Coordinate

  /// The place of a photo.
  public init(photo: UUID, coordinate: Coordinate) {
    (self.photo, self.coordinate) = (photo, coordinate)
  }

  /// The place of a photo that was just attached; nil when it does not say.
  package init?(_ attached: AttachedPhoto) {
    guard let position = attached.position,
      let coordinate = Coordinate(latitude: position.latitude, longitude: position.longitude)
    else { return nil }
    self.init(photo: attached.photo.id, coordinate: coordinate)
  }
}
