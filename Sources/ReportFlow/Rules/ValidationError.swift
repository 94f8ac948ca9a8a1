public import Announcements
public import PhotoModel

/// A problem with one field (seed 031, `ValidationError`). The associated text keys name messages in the reader's
/// language.
public enum ValidationError: Sendable, Equatable, Codable {
  case missingPhoto
  case missingDate
  case invalidDate(TextKey)
  case futureDate
  case missingSpecies
  case missingRace
  case invalidRace(TextKey)
  case missingGender
  case invalidAge(TextKey)
  case invalidLatitude(TextKey)
  case invalidLongitude(TextKey)
  case invalidPetName(TextKey)
  case missingName
  case invalidName(TextKey)
  case invalidPhone(TextKey)
  case invalidEmail
  /// The text has more combining marks or bytes than its characters need.
  case invalidText(FormField)
  /// The value isn't in the field's list. `names` are the accepted values.
  case noSuchOption(FormField, names: [String])

  /// The field the error belongs to.
  public var field: FormField { facts.field }
  /// A stable identifier for programs, such as `invalid-age`.
  public var code: String { facts.code }
  /// Returns the message that is shown beside the field.
  public func message(in language: Language) -> String { message(in: Words(language)) }

  /// Returns the message in a program's texts.
  package func message(in words: Words) -> String {
    guard case .noSuchOption(_, let names) = self else { return words(facts.text) }
    return words(facts.text, ["list": names.joined(separator: ", ")])
  }

  private var facts: (field: FormField, code: String, text: TextKey) {
    switch self {
    case .missingPhoto: (.photo, "missing-photo", "photo.mandatory")
    case .missingDate: (.date, "missing-date", "date.missing")
    case .invalidDate(let text): (.date, "invalid-date", text)
    case .futureDate: (.date, "future-date", "date.future")
    case .missingSpecies: (.species, "missing-species", "species.missing")
    case .missingRace: (.race, "missing-race", "race.missing")
    case .invalidRace(let text): (.race, "invalid-race", text)
    case .missingGender: (.gender, "missing-gender", "gender.missing")
    case .invalidAge(let text): (.age, "invalid-age", text)
    case .invalidLatitude(let text): (.latitude, "invalid-latitude", text)
    case .invalidLongitude(let text): (.longitude, "invalid-longitude", text)
    case .invalidPetName(let text): (.petName, "invalid-pet-name", text)
    case .missingName: (.name, "missing-name", "contact.nameMissing")
    case .invalidName(let text): (.name, "invalid-name", text)
    case .invalidPhone(let text): (.phone, "invalid-phone", text)
    case .invalidEmail: (.email, "invalid-email", "contact.emailInvalid")
    case .invalidText(let field): (field, "invalid-\(field.rawValue)", "text.oversized")
    case .noSuchOption(let field, _): (field, "invalid-\(field.rawValue)", "option.unknown")
    }
  }
}

extension [ValidationError] {
  /// Returns the error of `field`, or `nil` if the field is valid.
  func of(_ field: FormField) -> ValidationError? { first { $0.field == field } }
}
