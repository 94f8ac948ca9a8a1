public import Announcements

/// What the two coordinate fields say together (seed 031, `CoordinateValidationResult`); the
/// payloads name the texts.
public enum CoordinateValidationResult: Sendable, Equatable {
  case valid
  case invalid(latError: TextKey?, longError: TextKey?)

  /// Whether nothing is wrong.
  public var isValid: Bool { self == .valid }
}

/// The rules for coordinates as people type them (decisions 16 and 17).
public enum CoordinateRules {
  /// The number that is typed: ASCII digits, among or before them a dot or comma, a minus or none
  /// before, white space around it. Nothing else, so that `0x10`, `1e1` and `+5` are no numbers
  /// (lesson P18).
  public static func number(_ text: String) -> Double? {
    let text = text.trimmed.replacing(",", with: ".").replacing("\u{2212}", with: "-")
    let number = /-?([0-9]{1,20}(\.[0-9]{1,40})?|\.[0-9]{1,40})/
    guard text.wholeMatch(of: number) != nil else { return nil }
    return Double(text)
  }

  /// Checks both fields: both empty is fine, one alone is not, ranges are inclusive.
  public static func validate(
    latitude: String, longitude: String
  ) -> CoordinateValidationResult {
    let (latitude, longitude) = (latitude.trimmed, longitude.trimmed)
    if latitude.isEmpty && longitude.isEmpty { return .valid }
    let latError = error(latitude, in: -90...90, .locationLatitudeMissing, .locationLatitudeRange)
    let longError = error(
      longitude, in: -180...180, .locationLongitudeMissing, .locationLongitudeRange)
    return latError == nil && longError == nil
      ? .valid : .invalid(latError: latError, longError: longError)
  }

  /// The point that both fields name; nil when they are empty or not valid.
  public static func coordinate(latitude: String, longitude: String) -> Coordinate? {
    guard let latitude = number(latitude), let longitude = number(longitude) else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private static func error(
    _ text: String, in range: ClosedRange<Double>, _ missing: TextKey, _ outOfRange: TextKey
  ) -> TextKey? {
    if text.isEmpty { return missing }
    guard let number = number(text) else { return .locationFormat }
    return range.contains(number) ? nil : outOfRange
  }
}
