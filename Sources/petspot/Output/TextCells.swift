/// Measures and fits text on a terminal, where each character takes a number of cells.
enum TextCells {
  /// Returns the number of cells of a character: two for East Asian characters and emoji, zero for a lone mark.
  static func width(of character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    // A variation selector requests the emoji form (Unicode Technical Standard 51).
    if scalars.contains("\u{FE0F}") || first.properties.isEmojiPresentation { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return wide.contains { $0.contains(first.value) } ? 2 : 1
    }
  }

  /// Returns the number of cells of a text. A sequence that sets colors (`ESC [ … m`) takes none.
  static func width(of text: some StringProtocol) -> Int {
    var isSequence = false
    return text.reduce(0) { cells, character in
      if character == "\u{1B}" { isSequence = true }
      defer { if character == "m" { isSequence = false } }
      return isSequence ? cells : cells + width(of: character)
    }
  }

  /// Wraps a text between words into lines of at most `columns` cells. A word that is longer than a line is split at
  /// the end of the line.
  static func wrapped(_ text: String, columns: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { wrapped(line: $0, columns: max(columns, 8)) }.joined(separator: "\n")
  }

  /// Truncates a text to at most `cells` cells, ending with `…` if something was cut.
  static func shortened(_ text: String, to cells: Int) -> String {
    guard width(of: text) > cells else { return text }
    var beginning = ""
    var left = cells - 1
    for character in text {
      left -= width(of: character)
      if left < 0 { break }
      beginning.append(character)
    }
    return beginning + "…"
  }

  /// Truncates a text from its start, because the end of a path is more informative.
  static func shortened(fromEndOf text: String, to cells: Int) -> String {
    String(shortened(String(text.reversed()), to: cells).reversed())
  }

  private static func wrapped(line: Substring, columns: Int) -> String {
    guard width(of: line) > columns else { return String(line) }
    let colors = line.prefixMatch(of: /(\x{1B}\[[0-9;]*m)*/)?.output.0 ?? ""
    let line = line.dropFirst(colors.count)
    // Wrapped lines keep the indentation.
    let indent = String(line.prefix { $0 == " " }.prefix(columns / 2))
    var lines: [String] = []
    var current = indent
    var room = columns - indent.count
    func end() {
      lines.append(current)
      current = indent
      room = columns - indent.count
    }
    for (number, word) in line.dropFirst(indent.count).split(separator: " ").enumerated() {
      let need = width(of: word)
      if number > 0, need + 1 > room, current != indent { end() }
      if current != indent {
        current += " "
        room -= 1
      }
      // A word that fits is appended whole, including its color sequences.
      if need <= room {
        current += word
        room -= need
        continue
      }
      for character in word {
        let cells = width(of: character)
        if cells > room { end() }
        current.append(character)
        room -= cells
      }
    }
    return colors + (lines + [current]).joined(separator: "\n")
  }

  /// The approximate blocks of wide East Asian characters (Unicode Standard Annex 11).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60,
    0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
  ]
}
