import Foundation
import PhotoIngestion

/// Reads answers at a terminal with the editing keys of common shells, a history and completion. Pasted line ends don't
/// submit an answer.
final class LineEditor {
  /// The history for the keys up and down.
  private var history: [String] = []
  private var keys = KeyReader(descriptor: STDIN_FILENO)
  private let before: termios
  /// The row of the cursor, counted from the row in which the question begins.
  private var row = 0

  /// The maximum number of characters of an answer. The longest field, the description, allows less than a tenth of
  /// it.
  static let maxLength = 1 << 16

  /// Returns `nil` unless standard input and output are terminals that can move the cursor.
  init?() {
    var now = termios()
    let name = getenv("TERM").map { String(cString: $0) } ?? ""
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, !name.isEmpty, name != "dumb",
      tcgetattr(STDIN_FILENO, &now) == 0
    else { return nil }
    before = now
  }

  /// Runs `work` in raw mode and restores the terminal's settings afterwards, even if the process is interrupted.
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

  /// Discards input that was typed ahead.
  func forget() { keys.forget() }

  /// Asks a question once.
  ///
  /// - Parameters:
  ///   - isLong: `true` if the answer may have several lines.
  ///   - complete: returns the completions of a typed prefix.
  /// - Returns: the answer, or `nil` at the end of input.
  /// - Throws: `TooLong`, or an error of writing.
  func line(
    _ question: String, isLong: Bool, complete: (String) -> [String]
  ) throws -> String? {
    var line = EditedLine()
    var place = history.count
    var draft = ""
    row = 0
    try draw(question, line)
    while true {
      let key = keys.next()
      switch key {
      case .enter:
        // Lines that arrive without a pause are treated as pasted even without the paste brackets.
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

  /// The error for an answer with more than `maxLength` characters.
  struct TooLong: Error {}

  /// Switches the terminal to raw mode and turns on bracketed paste.
  private func takeOver() {
    var raw = before
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    raw.c_iflag &= ~tcflag_t(ICRNL | IXON)
    withUnsafeMutableBytes(of: &raw.c_cc) { keys in
      (keys[Int(VMIN)], keys[Int(VTIME)]) = (1, 0)
      // Ctrl-Z is handled by the editor, which draws the question again afterwards.
      keys[Int(VSUSP)] = 0
    }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    Output.raw("\u{1B}[?2004h")
  }

  /// Suspends the process with the terminal's original settings, and redraws the question afterwards.
  private func suspend(_ question: String, _ line: EditedLine) throws {
    var shown = before
    tcsetattr(STDIN_FILENO, TCSANOW, &shown)
    try Output.write("\u{1B}[?2004l\n")
    Interruption.suspend()
    takeOver()
    row = 0
    try draw(question, line)
  }

  /// Extends the answer to the common prefix of all completions, or lists them if the answer is that prefix.
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

  /// Returns a pasted text without control characters, and in one line unless `keepsLines` is `true`.
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

  /// Returns the text with visible replacements for characters that can't be printed.
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

  /// Writes text that was typed at the end of the answer, without redrawing the rest if possible.
  private func append(_ text: String, _ question: String, _ line: EditedLine) throws {
    let end = position(question + Self.shown(line.text))
    let isFull = end.column == 0 && end.row > 0
    guard end.row == row || isFull, TextCells.width(of: text) > 0 else {
      return try draw(question, line)
    }
    try Output.write(Self.shown(text) + (isFull ? "\r\n" : ""))
    row = end.row
  }

  /// Draws the question and the answer from the first row of the question, and places the cursor.
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

  /// Returns the position of the cursor after a text that begins a row. After a full row, it is in the next one.
  private func position(_ text: String) -> (row: Int, column: Int) {
    let columns = max(2, Terminal.standardOutput().columns)
    var row = 0
    var column = 0
    for character in text {
      let width = TextCells.width(of: character)
      if column + width > columns { (row, column) = (row + 1, 0) }
      column += width
      if column == columns { (row, column) = (row + 1, 0) }
    }
    return (row, column)
  }
}
