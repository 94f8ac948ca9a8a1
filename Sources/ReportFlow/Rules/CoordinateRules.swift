public import Announcements

/// What the two coordinate fields mean together (seed 031, `CoordinateValidationResult`); the
/// values are keys of texts.
public enum CoordinateValidationResult: Sendable, Equatable {
  case valid
  case invalid(latError: TextKey?, longError: TextKey?)

  /// Whether nothing is wrong.
  public var isValid: Bool { self == .valid }
}

/// The rules for coordinates as people type them (decisions 16 and 17).
public enum CoordinateRules {
  /// The number that is typed: ASCII digits, among, before or behind them a dot or comma, a sign or
  /// none before, white space around it. Nothing else, so that `0x10` and `1e1` are no numbers
  /// (lesson P18). A zero has no sign.
  public static func number(_ text: String) -> Double? {
    let text = text.trimmed.replacing(",", with: ".").replacing("\u{2212}", with: "-")
    let number = /[-+]?([0-9]{1,20}(\.[0-9]{0,40})?|\.[0-9]{1,40})/
    guard text.wholeMatch(of: number) != nil else { return nil }
    return Double(text.hasSuffix(".") ? text + "0" : text).map { $0 + 0 }
  }

  /// Both numbers of a place that was pasted as one text: `52.2297, 21.0122`, `52,2297; 21,0122`,
  /// `52.2297° N, 21.0122° E`; nil for one number and for anything else.
  public static func pair(_ text: String) -> (latitude: String, longitude: String)? {
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

  /// Checks both fields: both empty is fine, one alone is not, ranges are inclusive.
  public static func validate(
    latitude: String, longitude: String
  ) -> CoordinateValidationResult {
    let (latitude, longitude) = (latitude.trimmed, longitude.trimmed)
    if latitude.isEmpty && longitude.isEmpty { return .valid }
    let latError = error(
      latitude, in: -90...90, "location.latitudeMissing", "location.latitudeRange")
    let longError = error(
      longitude, in: -180...180, "location.longitudeMissing", "location.longitudeRange")
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
    guard let number = number(text) else { return "location.format" }
    return range.contains(number) ? nil : outOfRange
  }
}
