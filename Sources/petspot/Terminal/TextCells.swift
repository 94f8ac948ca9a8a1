/// How much room texts take on a terminal, whose characters stand in cells.
enum TextCells {
  /// The cells a character takes: two for East Asian and for emoji, none for a mark by itself.
  static func width(of character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    // Asked to be shown as an emoji (Unicode Technical Standard 51).
    if scalars.contains("\u{FE0F}") || first.properties.isEmojiPresentation { return 2 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return wide.contains { $0.contains(first.value) } ? 2 : 1
    }
  }

  /// The cells a text takes; a sequence that sets colors (`ESC [ … m`) takes none.
  static func width(of text: some StringProtocol) -> Int {
    var isSequence = false
    return text.reduce(0) { cells, character in
      if character == "\u{1B}" { isSequence = true }
      defer { if character == "m" { isSequence = false } }
      return isSequence ? cells : cells + width(of: character)
    }
  }

  /// The text in lines of at most `columns` cells, broken between words; a word that is longer than
  /// a line is broken where the line ends.
  static func wrapped(_ text: String, columns: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { wrapped(line: $0, columns: max(columns, 8)) }.joined(separator: "\n")
  }

  /// The text's beginning in at most `cells` cells, with `…` for what is left out.
  static func shortened(_ text: String, to cells: Int) -> String {
    guard width(of: text) > cells else { return text }
    var (beginning, left) = ("", cells - 1)
    for character in text {
      left -= width(of: character)
      if left < 0 { break }
      beginning.append(character)
    }
    return beginning + "…"
  }

  /// The text's end in at most `cells` cells: that of a path says more than its beginning.
  static func shortened(fromEndOf text: String, to cells: Int) -> String {
    String(shortened(String(text.reversed()), to: cells).reversed())
  }

  private static func wrapped(line: Substring, columns: Int) -> String {
    guard width(of: line) > columns else { return String(line) }
    let colors = line.prefixMatch(of: /(\x{1B}\[[0-9;]*m)*/)?.output.0 ?? ""
    let line = line.dropFirst(colors.count)
    // What is indented stays so.
    let indent = String(line.prefix { $0 == " " }.prefix(columns / 2))
    var lines: [String] = []
    var (current, room) = (indent, columns - indent.count)
    func end() {
      lines.append(current)
      (current, room) = (indent, columns - indent.count)
    }
    for (number, word) in line.dropFirst(indent.count).split(separator: " ").enumerated() {
      let need = width(of: word)
      if number > 0, need + 1 > room, current != indent { end() }
      if current != indent {
        current += " "
        room -= 1
      }
      // A word that fits is appended whole, its colors included.
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

  /// The blocks of East Asian wide characters (Unicode Standard Annex 11), roughly.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
    0xA000...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60,
    0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
  ]
}
