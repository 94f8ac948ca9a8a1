extension String {
  /// The maximum number of combining marks on one character. No script needs more.
  package static let maxMarks = 8

  /// The text without combining marks beyond the ninth in a row. A text with more has a character with too many marks,
  /// before and after.
  ///
  /// Comparing, hashing and splitting a text sort each row of marks first, which takes quadratic time. Pass every text
  /// from outside through this property before.
  package var withShortRowsOfMarks: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var kept = String.UnicodeScalarView()
    var row = 0
    for scalar in unicodeScalars {
      row = scalar.isMark ? row + 1 : 0
      if row <= Self.maxMarks + 1 { kept.append(scalar) }
    }
    return String(kept)
  }
}

extension Unicode.Scalar {
  /// `true` if the scalar is in the general category M (mark).
  package var isMark: Bool {
    guard value >= 0x300 else { return false }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return false
    }
  }
}
