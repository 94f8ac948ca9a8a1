import PhotoModel

extension String {
  /// The maximum number of bytes per allowed character.
  private static let bytesPerCharacter = 16

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
}
