public import Announcements
public import Foundation
import ImageContainers
package import PhotoAttachments

/// What is typed in step 3, valid or not; kept on every change, counts only after Continue.
public struct DescriptionInput: Sendable, Equatable, Codable {
  /// The chosen day; nil means today.
  public var date: CalendarDay?
  /// The chosen species.
  public var species: SpeciesTaxonomyOption?
  /// The race as typed.
  public var race = ""
  /// The chosen gender.
  public var gender: Gender?
  /// The age as typed.
  public var age = ""
  /// The pet's name as typed.
  public var petName = ""
  /// The place in words as typed, at most 80 characters.
  public var near = ""
  /// The latitude as typed.
  public var latitude = ""
  /// The longitude as typed.
  public var longitude = ""
  /// Where the coordinates came from; nil when both are empty.
  public var capture: LocationCapture?
  /// The additional description, at most 500 characters.
  public var additionalDescription = ""

  /// An empty form.
  public init() {}

  /// Reads a stored form; what an older version did not have is empty.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    date = try values.decodeIfPresent(CalendarDay.self, forKey: .date)
    species = try values.decodeIfPresent(SpeciesTaxonomyOption.self, forKey: .species)
    race = try values.decodeIfPresent(String.self, forKey: .race) ?? ""
    gender = try values.decodeIfPresent(Gender.self, forKey: .gender)
    age = try values.decodeIfPresent(String.self, forKey: .age) ?? ""
    petName = try values.decodeIfPresent(String.self, forKey: .petName) ?? ""
    near = try values.decodeIfPresent(String.self, forKey: .near) ?? ""
    latitude = try values.decodeIfPresent(String.self, forKey: .latitude) ?? ""
    longitude = try values.decodeIfPresent(String.self, forKey: .longitude) ?? ""
    capture = try values.decodeIfPresent(LocationCapture.self, forKey: .capture)
    additionalDescription =
      try values.decodeIfPresent(String.self, forKey: .additionalDescription) ?? ""
  }
}

/// What is typed in step 4, valid or not.
public struct ContactInput: Sendable, Equatable, Codable {
  /// The reporter's name as typed.
  public var name = ""
  /// The phone number as typed.
  public var phone = ""
  /// The e-mail address as typed.
  public var email = ""
  /// The reward as typed, at most 120 characters.
  public var reward = ""

  /// An empty form.
  public init() {}

  /// Reads a stored form; what an older version did not have is empty.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decodeIfPresent(String.self, forKey: .name) ?? ""
    phone = try values.decodeIfPresent(String.self, forKey: .phone) ?? ""
    email = try values.decodeIfPresent(String.self, forKey: .email) ?? ""
    reward = try values.decodeIfPresent(String.self, forKey: .reward) ?? ""
  }
}

/// Where a draft's photo was taken, as the original says: the draft's private data, in no record of
/// the photo and no announcement (decision 17).
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
