import Foundation
import PhotoAttachments
import ReportFlow
import PhotoIngestion

/// Why a step was left without its Continue.
enum Leaving: Error {
  case back, quit
}

/// Asks on standard output and reads answers, a line each, from standard input.
struct Prompt {
  let words: ReportFlow.Words
  let terminal = Terminal.standardOutput()

  /// Says a line.
  func say(_ text: String) throws(StoreError) { try Output.line(text) }

  /// Says what is wrong with the field that is asked for next.
  func complain(_ text: String?) throws(StoreError) {
    if let text { try say(terminal.bold("  ! " + text)) }
  }

  /// Asks for a text; `current` stands in brackets and is kept with an empty answer.
  ///
  /// - Returns: the new text, empty for a single dash; nil when the current one is kept. Bytes that
  ///   are not UTF-8 are as in `RawArguments`.
  /// - Throws: `Leaving` for back, quit and the end of input, in English and the reader's language.
  func ask(_ label: String, current: String = "") throws -> String? {
    let kept = current.isEmpty ? "" : " [\(ReadableText.escaped(current))]"
    try Output.write("\(label)\(kept): ")
    guard let line = try readLine() else {
      // The cursor stands behind the question.
      try Output.write("\n")
      throw Leaving.quit
    }
    let answer = line.trimmingCharacters(in: .whitespaces)
    if matches(answer, .talkBack) { throw Leaving.back }
    if matches(answer, .talkQuit) { throw Leaving.quit }
    if answer.isEmpty { return nil }
    return answer == "-" ? "" : answer
  }

  /// The same for what is shown as text.
  func askText(_ label: String, current: String = "") throws -> String? {
    try ask(label, current: current).map(RawArguments.text)
  }

  /// Throws away what was typed or pasted before the question that comes next.
  func forgetTypedAhead() {
    if isatty(STDIN_FILENO) == 1 { tcflush(STDIN_FILENO, TCIFLUSH) }
  }

  /// Asks a question that is answered with yes or no; an empty answer is no.
  func askYesOrNo(_ question: String) throws -> Bool {
    guard let answer = try askText("\(question) (\(words(.talkYesOrNo)))") else { return false }
    return [words, ReportFlow.Words(.en)].contains { language in
      let yes = language(.talkYes).lowercased()
      return answer.lowercased() == yes || answer.lowercased() == String(yes.prefix(1))
    }
  }

  /// What came of offering a choice.
  enum Choice {
    case kept, none
    case option(Int)
  }

  /// Offers numbered options; takes a number, an option's text, or its name for programs.
  func choose(
    _ label: String, options: [String], names: [String], selected: Int?
  ) throws -> Choice {
    for (number, option) in options.enumerated() { try say("  \(number + 1)  \(option)") }
    while true {
      guard let answer = try askText(label, current: selected.map { options[$0] } ?? "") else {
        return .kept
      }
      if answer.isEmpty { return .none }
      if let number = Int(answer), options.indices.contains(number - 1) {
        return .option(number - 1)
      }
      let same = { (text: String) in text.localizedCaseInsensitiveCompare(answer) == .orderedSame }
      if let index = options.firstIndex(where: same) ?? names.firstIndex(where: same) {
        return .option(index)
      }
      try complain(words(.talkChoose))
    }
  }

  private func matches(_ answer: String, _ key: TextKey) -> Bool {
    [words(key), ReportFlow.Words(.en)(key)].contains { $0.lowercased() == answer.lowercased() }
  }

  /// Bytes a line of input may have; the longest answer, a description, has less than a tenth.
  private static let longestLine = 1 << 16

  /// A line of standard input without its end; nil when there is no more. Byte by byte, so that
  /// nothing of a later answer is swallowed.
  ///
  /// - Throws: `ReportFailure` for a longer line: its rest would be taken for the answers that follow.
  private func readLine() throws -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return line.isEmpty ? nil : RawArguments.encode(line) }
      if byte == UInt8(ascii: "\n") { return RawArguments.encode(line) }
      if byte != UInt8(ascii: "\r") { line.append(byte) }
      guard line.count <= Self.longestLine else {
        let limit = words.fileSize(Self.longestLine)
        throw ReportFailure(
          code: "answer-too-long", message: words(.talkTooLong, ["limit": limit]), exitCode: 65)
      }
    }
  }
}
