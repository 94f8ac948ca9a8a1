extension String {
  /// The maximum number of bytes per allowed character.
  private static let bytesPerCharacter = 16
  /// The maximum number of combining marks on one character. No script needs more.
  private static let maxMarks = 8

  /// Returns `true` if a text has at most `limit` characters, at most 16 bytes for each of them, and no character with
  /// more than eight combining marks (decision 50). Joiners, emoji modifiers and tags aren't marks.
  package func fits(characters limit: Int) -> Bool {
    guard utf8.count <= limit * Self.bytesPerCharacter else { return false }
    var characters = 0
    for character in self {
      characters += 1
      guard characters <= limit, character.unicodeScalars.count(where: \.isMark) <= Self.maxMarks
      else { return false }
    }
    return true
  }

  /// Shortens a text that has too many bytes to fit `limit` characters. The result is still too long, so that a later
  /// check rejects it. Any other text is returned unchanged.
  package func cut(toFit limit: Int) -> String {
    let bytes = limit * Self.bytesPerCharacter
    guard utf8.count > bytes else { return self }
    let last = utf8.index(utf8.startIndex, offsetBy: bytes)
    return String(unicodeScalars[..<unicodeScalars.index(after: last)])
  }

  /// The text without combining marks beyond the ninth in a row. A text with more never passes `fits(characters:)`,
  /// before or after.
  ///
  /// Comparing, hashing and splitting a text sort each row of marks first, which takes quadratic time. Pass every text
  /// from outside through this property before.
  package var withShortRowsOfMarks: String {
    if utf8.allSatisfy({ $0 < 0x80 }) { return self }
    var (kept, row) = (String.UnicodeScalarView(), 0)
    for scalar in unicodeScalars {
      row = scalar.isMark ? row + 1 : 0
      if row <= Self.maxMarks + 1 { kept.append(scalar) }
    }
    return String(kept)
  }
}

extension Unicode.Scalar {
  /// `true` if the scalar is in the general category M (mark).
  fileprivate var isMark: Bool {
    guard value >= 0x300 else { return false }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return false
    }
  }
}
