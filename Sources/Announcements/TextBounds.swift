extension String {
  /// The most bytes of a text for each character that it may have.
  private static let bytesPerCharacter = 16
  /// The most marks that one character may have: all scripts do with fewer.
  private static let maxMarks = 8

  /// Whether a text has at most `limit` characters, and neither more bytes than they need nor a character
  /// with a pile of marks (decision 50). Joiners, emoji modifiers and tags are no marks.
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

  /// The beginning of a text that is too large to fit `limit` characters, so that it still does not; any
  /// other text as it is.
  package func cut(toFit limit: Int) -> String {
    let bytes = limit * Self.bytesPerCharacter
    guard utf8.count > bytes else { return self }
    let last = utf8.index(utf8.startIndex, offsetBy: bytes)
    return String(unicodeScalars[..<unicodeScalars.index(after: last)])
  }

  /// The text without the marks that follow nine others; what has them fits nowhere, with or without.
  ///
  /// Comparing, hashing and splitting sort the marks of a row first, which takes a time that grows with the
  /// square of their number. A text that comes from outside has to pass here before.
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
  /// Whether it is of the general category M.
  fileprivate var isMark: Bool {
    guard value >= 0x300 else { return false }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return false
    }
  }
}
