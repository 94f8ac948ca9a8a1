package import Announcements
package import PhotoModel

/// The result of checking both coordinate fields together (seed 031, `CoordinateValidationResult`). The errors are text
/// keys.
package enum CoordinateValidationResult: Sendable, Equatable {
  case valid
  case invalid(latError: TextKey?, longError: TextKey?)

  /// `true` if both fields are acceptable.
  package var isValid: Bool { self == .valid }
}

/// The rules for coordinates that people type (decisions 16 and 17).
package enum CoordinateRules {
  /// Parses a typed number.
  ///
  /// Accepts ASCII digits with at most one dot or comma, an optional sign, and white space around them. Rejects
  /// everything else, including `0x10` and `1e1` (lesson P18). Minus zero becomes zero.
  package static func number(_ text: String) -> Double? {
    let text = text.trimmed.replacing(",", with: ".").replacing("\u{2212}", with: "-")
    let number = /[-+]?([0-9]{1,20}(\.[0-9]{0,40})?|\.[0-9]{1,40})/
    guard text.wholeMatch(of: number) != nil else { return nil }
    return Double(text.hasSuffix(".") ? text + "0" : text).map { $0 + 0 }
  }

  /// Splits a pasted place into its two numbers, for example `52.2297, 21.0122`, `52,2297; 21,0122` or `52.2297° N,
  /// 21.0122° E`. Returns `nil` for a single number and for any other text.
  package static func pair(_ text: String) -> (latitude: String, longitude: String)? {
    let text = text.trimmed
    guard number(text) == nil else { return nil }
    let pair =
      /(?i)([-+]?[0-9]{1,20}(?:[.,][0-9]{1,40})?)\s*°?\s*([NS])?\s*[,; \t]\s*([-+]?[0-9]{1,20}(?:[.,][0-9]{1,40})?)\s*°?\s*([EW])?/
    guard let parts = text.replacing("\u{2212}", with: "-").wholeMatch(of: pair)?.output else {
      return nil
    }
    func signed(_ number: Substring, _ side: Substring?, _ negative: String) -> String {
      guard side?.uppercased() == negative, !number.hasPrefix("-") else { return String(number) }
      return "-" + number.drop { $0 == "+" }
    }
    return (signed(parts.1, parts.2, "S"), signed(parts.3, parts.4, "W"))
  }

  /// Checks both fields. Two empty fields are valid, but one empty field isn't. Ranges are inclusive.
  package static func validate(
    latitude: String, longitude: String
  ) -> CoordinateValidationResult {
    let latitude = latitude.trimmed
    let longitude = longitude.trimmed
    if latitude.isEmpty && longitude.isEmpty { return .valid }
    let latError = error(
      latitude, in: -90...90, "location.latitudeMissing", "location.latitudeRange")
    let longError = error(
      longitude, in: -180...180, "location.longitudeMissing", "location.longitudeRange")
    return latError == nil && longError == nil
      ? .valid : .invalid(latError: latError, longError: longError)
  }

  /// Returns the point of the two fields, or `nil` if a field is empty or invalid.
  package static func coordinate(latitude: String, longitude: String) -> Coordinate? {
    guard let latitude = number(latitude), let longitude = number(longitude) else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }

  private static func error(
    _ text: String, in range: ClosedRange<Double>, _ missing: TextKey, _ outOfRange: TextKey
  ) -> TextKey? {
    if text.isEmpty { return missing }
    guard let number = number(text) else {
      return range.upperBound == 90 ? "location.format" : "location.longitudeFormat"
    }
    return range.contains(number) ? nil : outOfRange
  }
}
