/// The rule for phone numbers, shared by the form and the list (seed 058 and decision 21).
public enum PhoneNumber {
  /// Whether `text` has only ASCII digits, spaces, dashes, parentheses and a leading plus, and 7 to
  /// 15 digits. Digits of other scripts do not count: nobody can dial them as they stand.
  public static func isValid(_ text: String) -> Bool {
    isWellFormed(text) && (7...15).contains(digits(text).count)
  }

  /// Whether `text` has only the characters of a phone number and at least one digit.
  static func isWellFormed(_ text: String) -> Bool {
    let body = text.hasPrefix("+") ? text.dropFirst() : text[...]
    return !digits(text).isEmpty
      && body.unicodeScalars.allSatisfy { isDigit($0) || " -()".unicodeScalars.contains($0) }
  }

  /// The ASCII digits of `text`, in order.
  public static func digits(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter(isDigit)))
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    ("0"..."9").contains(scalar)
  }
}
