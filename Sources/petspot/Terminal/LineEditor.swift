import Foundation
import PhotoIngestion

/// Reads answers at a terminal with the keys that people know from their shell, a history, completion,
/// and pasted lines that answer nothing by themselves.
final class LineEditor {
  /// Answers given so far, for the keys up and down.
  private var history: [String] = []
  private var keys = KeyReader(descriptor: STDIN_FILENO)
  private let before: termios
  /// The row of the cursor below the row in which the question begins.
  private var row = 0

  /// The most characters of an answer; the longest one, a description, has less than a tenth.
  static let maxLength = 1 << 16

  /// An editor of the standard input and output; nil where they are no terminal that moves its cursor.
  init?() {
    var now = termios()
    let name = getenv("TERM").map { String(cString: $0) } ?? ""
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, !name.isEmpty, name != "dumb",
      tcgetattr(STDIN_FILENO, &now) == 0
    else { return nil }
    before = now
  }

  /// Runs `work` with the terminal's keys in our hands; it gets its own back whatever ends us.
  func serving(_ work: () async throws -> Void) async throws {
    let before = before
    let restore: @Sendable () -> Void = {
      var before = before
      tcsetattr(STDIN_FILENO, TCSANOW, &before)
      Output.raw("\u{1B}[?2004l")
    }
    try await Interruption.withCleanup(restore) {
      takeOver()
      defer { restore() }
      try await work()
    }
  }

  /// Throws away what was typed ahead.
  func forget() { keys.forget() }

  /// Asks once.
  ///
  /// - Parameters:
  ///   - isLong: whether the answer may have several lines.
  ///   - complete: what the beginning of an answer can become.
  /// - Returns: the answer; nil at the end of input.
  /// - Throws: `TooLong`, and what writing throws.
  func line(
    _ question: String, isLong: Bool, complete: (String) -> [String]
  ) throws -> String? {
    var line = EditedLine()
    var (place, draft) = (history.count, "")
    row = 0
    try draw(question, line)
    while true {
      let key = keys.next()
      switch key {
      case .enter:
        // Lines that come without a pause and without the paste's brackets are pasted all the same.
        if isLong, keys.hasMore {
          line.insert("\n")
          continue
        }
        line.press(.end)
        try draw(question, line)
        try Output.write("\n")
        if !line.text.isEmpty, history.last != line.text { history.append(line.text) }
        return line.text
      case .text(let text):
        let wasAtEnd = line.isAtEnd
        line.insert(text)
        if wasAtEnd { try append(text, question, line) } else { try draw(question, line) }
      case .pasted(let text):
        line.insert(Self.cleaned(text, keepsLines: isLong))
        try draw(question, line)
      case .newLine:
        if isLong { line.insert("\n") }
        try draw(question, line)
      case .endOfInput:
        guard line.text.isEmpty else {
          line.press(.delete)
          try draw(question, line)
          continue
        }
        return nil
      case .up, .down:
        let next = place + (key == .up ? -1 : 1)
        guard (0...history.count).contains(next) else { continue }
        if place == history.count { draft = line.text }
        place = next
        line = EditedLine(place == history.count ? draft : history[place])
        try draw(question, line)
      case .tab:
        try self.complete(&line, question, complete)
      case .suspend: try suspend(question, line)
      default:
        line.press(key)
        try draw(question, line)
      }
      if line.characters.count > Self.maxLength { throw TooLong() }
    }
  }

  /// More characters than any answer has.
  struct TooLong: Error {}

  private func takeOver() {
    var raw = before
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    raw.c_iflag &= ~tcflag_t(ICRNL | IXON)
    withUnsafeMutableBytes(of: &raw.c_cc) { keys in
      (keys[Int(VMIN)], keys[Int(VTIME)]) = (1, 0)
      // Ctrl-Z is handled here, so that the question is there again afterwards.
      keys[Int(VSUSP)] = 0
    }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    Output.raw("\u{1B}[?2004h")
  }

  private func suspend(_ question: String, _ line: EditedLine) throws {
    var shown = before
    tcsetattr(STDIN_FILENO, TCSANOW, &shown)
    try Output.write("\u{1B}[?2004l\n")
    Interruption.suspend()
    takeOver()
    row = 0
    try draw(question, line)
  }

  /// Extends the answer as far as all that it can become agree, and lists those when they do not.
  private func complete(
    _ line: inout EditedLine, _ question: String, _ candidates: (String) -> [String]
  ) throws {
    guard line.isAtEnd else { return }
    let found = candidates(line.text)
    guard var common = found.first else { return }
    for other in found { common = common.commonPrefix(with: other) }
    if common.count > line.characters.count {
      line = EditedLine(common)
    } else if found.count > 1 {
      let names = found.prefix(40).map { path in
        let isFolder = path.hasSuffix("/")
        return (path.split(separator: "/").last.map(String.init) ?? path) + (isFolder ? "/" : "")
      }
      let columns = Terminal.standardOutput().columns
      let list = names.map(ReadableText.escaped).joined(separator: "  ")
      try Output.write("\n" + TextCells.wrapped(list, columns: columns) + "\n")
      row = 0
    }
    try draw(question, line)
  }

  /// A pasted text as an answer: without what steers terminals, and in one line where only one is
  /// asked for.
  static func cleaned(_ text: String, keepsLines: Bool) -> String {
    let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
      .replacing("\t", with: " ")
    let clean = String(
      String.UnicodeScalarView(
        lines.unicodeScalars.filter { $0 == "\n" || $0.properties.generalCategory != .control }))
    let whole = clean.trimmingCharacters(in: .newlines)
    return keepsLines ? whole : whole.replacing("\n", with: " ")
  }

  // MARK: Drawing

  /// What stands for a character on the screen.
  private static func shown(_ text: String) -> String {
    String(
      text.map { character -> Character in
        if character == "\n" { return "⏎" }
        switch character.unicodeScalars.first?.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
          return "?"
        default: return character
        }
      })
  }

  /// Writes what was typed behind the answer, without drawing the rest again.
  private func append(_ text: String, _ question: String, _ line: EditedLine) throws {
    let end = position(question + Self.shown(line.text))
    let isFull = end.column == 0 && end.row > 0
    guard end.row == row || isFull, TextCells.width(of: text) > 0 else {
      return try draw(question, line)
    }
    try Output.write(Self.shown(text) + (isFull ? "\r\n" : ""))
    row = end.row
  }

  private func draw(_ question: String, _ line: EditedLine) throws {
    var text = row > 0 ? "\u{1B}[\(row)A" : ""
    let whole = question + Self.shown(line.text)
    let end = position(whole)
    text += "\r" + whole
    if end.column == 0, end.row > 0 { text += "\r\n" }
    text += "\u{1B}[J"
    if !line.isAtEnd {
      let cursor = position(question + Self.shown(line.beginning))
      if end.row > cursor.row { text += "\u{1B}[\(end.row - cursor.row)A" }
      text += "\r" + (cursor.column > 0 ? "\u{1B}[\(cursor.column)C" : "")
      row = cursor.row
    } else {
      row = end.row
    }
    try Output.write(text)
  }

  /// Where the cursor stands behind a text that begins a row; a full row puts it into the next one.
  private func position(_ text: String) -> (row: Int, column: Int) {
    let columns = max(2, Terminal.standardOutput().columns)
    var (row, column) = (0, 0)
    for character in text {
      let width = TextCells.width(of: character)
      if column + width > columns { (row, column) = (row + 1, 0) }
      column += width
      if column == columns { (row, column) = (row + 1, 0) }
    }
    return (row, column)
  }
}
