/// An answer while it is typed: its characters, and where the next one goes.
struct EditedLine: Equatable {
  private(set) var characters: [Character] = []
  /// Before which character the cursor stands.
  private(set) var cursor = 0

  /// An answer with the cursor behind it.
  init(_ text: String = "") {
    characters = Array(text)
    cursor = characters.count
  }

  var text: String { String(characters) }
  /// The part before the cursor.
  var beginning: String { String(characters[..<cursor]) }
  /// Whether the cursor stands behind the answer.
  var isAtEnd: Bool { cursor == characters.count }

  /// Puts a text where the cursor is.
  mutating func insert(_ text: String) {
    // A mark that joins the character before it makes one character of both.
    let before = String(characters[..<cursor]) + text
    let after = characters[cursor...]
    characters = Array(before) + after
    cursor = characters.count - after.count
  }

  /// Does what a key of a line editor does; keys that end or leave the line are not its matter.
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

/// What came from a keyboard.
enum Key: Equatable {
  case text(String)
  /// Characters that were pasted, with their line ends.
  case pasted(String)
  case enter, newLine, tab
  case left, right, home, end, wordLeft, wordRight
  case backspace, delete, killWord, killToStart, killToEnd
  /// The answer before and the one after it.
  case up, down
  /// Ctrl-D on an empty line, or the end of the terminal.
  case endOfInput
  case suspend, redraw
}
