/// An answer that is being typed, and its cursor.
struct EditedLine: Equatable {
  private(set) var characters: [Character] = []
  /// The index of the character after the cursor.
  private(set) var cursor = 0

  /// Creates an answer with the cursor at its end.
  init(_ text: String = "") {
    characters = Array(text)
    cursor = characters.count
  }

  var text: String { String(characters) }
  /// The text before the cursor.
  var beginning: String { String(characters[..<cursor]) }
  /// `true` if the cursor is at the end of the text.
  var isAtEnd: Bool { cursor == characters.count }

  /// Inserts a text at the cursor.
  mutating func insert(_ text: String) {
    // A combining mark merges with the character before it.
    let before = String(characters[..<cursor]) + text
    let after = characters[cursor...]
    characters = Array(before) + after
    cursor = characters.count - after.count
  }

  /// Applies an editing key. Ignores keys that end or leave the line.
  mutating func press(_ key: Key) {
    switch key {
    case .left: cursor = max(0, cursor - 1)
    case .right: cursor = min(characters.count, cursor + 1)
    case .home: cursor = 0
    case .end: cursor = characters.count
    case .wordLeft: cursor = wordStart
    case .wordRight: cursor = wordEnd
    case .backspace: remove((cursor - 1)..<cursor)
    case .delete: remove(cursor..<(cursor + 1))
    case .killWord: remove(wordStart..<cursor)
    case .killToStart: remove(0..<cursor)
    case .killToEnd: remove(cursor..<characters.count)
    default: break
    }
  }

  /// Removes the characters in a range and moves the cursor there.
  private mutating func remove(_ range: Range<Int>) {
    let range = range.clamped(to: 0..<characters.count)
    characters.removeSubrange(range)
    cursor = min(range.lowerBound, characters.count)
  }

  private var wordStart: Int {
    var index = cursor
    while index > 0, characters[index - 1].isWhitespace { index -= 1 }
    while index > 0, !characters[index - 1].isWhitespace { index -= 1 }
    return index
  }

  private var wordEnd: Int {
    var index = cursor
    while index < characters.count, characters[index].isWhitespace { index += 1 }
    while index < characters.count, !characters[index].isWhitespace { index += 1 }
    return index
  }
}

/// A key, or a piece of text, from the terminal.
enum Key: Equatable {
  case text(String)
  /// Pasted characters, including line ends.
  case pasted(String)
  case enter, newLine, tab
  case left, right, home, end, wordLeft, wordRight
  case backspace, delete, killWord, killToStart, killToEnd
  /// Show the previous and the next answer of the history.
  case up, down
  /// Ctrl-D, or the end of the terminal's input.
  case endOfInput
  case suspend, redraw
}
