package import Announcements
package import Foundation
import ImageContainers
package import PhotoAttachments
import PhotoModel

/// The texts of a step's fields as typed, valid or not. They are saved with every change, but only Continue accepts
/// them.
public struct TypedTexts: Sendable, Equatable {
  private var texts: [FormField: String] = [:]

  /// Creates empty fields.
  package init() {}

  /// The text of a field, cut to the field's maximum length. A field that rejects surplus text keeps just enough of it
  /// to be rejected.
  package subscript(field: FormField) -> String {
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

  /// Decodes stored texts. Fields that an older version didn't have are empty.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: FormField.self)
    for field in Self.fields {
      self[field] = try values.decodeIfPresent(String.self, forKey: field) ?? ""
    }
  }

  /// Encodes the texts as members of the enclosing object.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: FormField.self)
    for field in Self.fields { try values.encodeIfPresent(texts[field], forKey: field) }
  }
}

/// The texts and choices of step 3 as entered.
public struct DescriptionInput: Sendable, Equatable {
  /// The chosen day. `nil` means today.
  package var date: CalendarDay?
  /// The chosen species.
  package var species: SpeciesTaxonomyOption?
  /// The chosen gender.
  package var gender: Gender?
  /// The origin of the coordinates, or `nil` if both fields are empty.
  package var capture: LocationCapture?
  private var texts = TypedTexts()

  /// Creates an empty form.
  package init() {}

  /// The typed text of a field.
  package subscript(field: FormField) -> String {
    get { texts[field] }
    set { texts[field] = newValue }
  }
}

extension DescriptionInput: Codable {
  private enum CodingKeys: CodingKey { case date, species, gender, capture }

  /// Decodes a stored form. Values that an older version didn't have are empty.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    date = try values.decodeIfPresent(CalendarDay.self, forKey: .date)
    species = try values.decodeIfPresent(SpeciesTaxonomyOption.self, forKey: .species)
    gender = try values.decodeIfPresent(Gender.self, forKey: .gender)
    capture = try values.decodeIfPresent(LocationCapture.self, forKey: .capture)
    texts = try TypedTexts(from: decoder)
  }

  /// Encodes the form for `init(from:)`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(date, forKey: .date)
    try values.encodeIfPresent(species, forKey: .species)
    try values.encodeIfPresent(gender, forKey: .gender)
    try values.encodeIfPresent(capture, forKey: .capture)
    try texts.encode(to: encoder)
  }
}

/// The place where a draft's photo was taken, from the original file's metadata. It's private to the draft. Photo
/// records and announcements never contain it (decision 17).
public struct PhotoPlace: Sendable, Equatable, Codable {
  /// The photo's id. The place is void once the draft has another photo.
  package let photo: UUID
  /// The place.
  package let coordinate: Coordinate

  /// Creates the place of a photo.
  package init(photo: UUID, coordinate: Coordinate) {
    self.photo = photo
    self.coordinate = coordinate
  }

  /// Creates the place of a newly attached photo, or `nil` if the photo has no position.
  package init?(_ attached: AttachedPhoto) {
    guard let position = attached.position,
      let coordinate = Coordinate(latitude: position.latitude, longitude: position.longitude)
    else { return nil }
    self.init(photo: attached.photo.id, coordinate: coordinate)
  }
}
