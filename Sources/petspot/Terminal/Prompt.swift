import Foundation
import PhotoIngestion
import ReportFlow

/// Prints questions to standard output and reads answers from standard input. Uses a line editor if both are a
/// terminal, otherwise reads one line per answer.
struct Prompt {
  let words: Words
  let terminal = Terminal.standardOutput()
  let editor = LineEditor()

  /// Prints a text. On a terminal, it is wrapped between words.
  func say(_ text: String) throws(StoreError) { try Output.text(text) }

  func title(_ text: String) throws(StoreError) { try say("\n" + terminal.bold(text)) }

  /// Prints what is wrong with the last answer.
  func complain(_ text: String?) throws(StoreError) {
    guard let text else { return }
    let lines = Output.wrapped("  ! " + text).split(separator: "\n").map {
      terminal.bold(String($0))
    }
    try Output.line(lines.joined(separator: "\n"))
  }

  /// Asks until there is an answer. The word for help prints the help and asks again.
  ///
  /// Bytes that are not UTF-8 are encoded as in `RawArguments`.
  ///
  /// - Throws: `ConversationExit` for the words back and quit, in English or the reader's language, and at the end of
  ///   input.
  func ask(_ question: Question) throws -> Answer {
    let kept = question.current.isEmpty ? "" : " [\(Self.shown(question.current))]"
    // The editor redraws only the last line of the question while the answer is typed.
    var lines = Output.wrapped("\(question.label)\(kept):").split(separator: "\n").map(String.init)
    let last = (lines.popLast() ?? "") + " "
    while true {
      for line in lines { try Output.line(line) }
      guard let line = try readAnswer(last, question) else {
        // The cursor is still behind the question.
        try Output.write("\n")
        throw ConversationExit.quit
      }
      let answer = line.trimmingCharacters(in: .whitespacesAndNewlines)
      if matches(answer, "talk.back") { throw ConversationExit.back }
      if matches(answer, "talk.quit") || matches(answer, "talk.exit") {
        throw ConversationExit.quit
      }
      guard matches(answer, "talk.helpWord") || answer == "?" else {
        return answer.isEmpty ? .kept : answer == "-" ? .emptied : .text(answer)
      }
      if let help = question.help { try say("  " + help) }
      try say("  " + words("talk.help"))
    }
  }

  /// Asks as `ask` does, but returns readable text in which bytes that are not UTF-8 are escaped.
  func askText(_ question: Question) throws -> Answer {
    let answer = try ask(question)
    guard case .text(let text) = answer else { return answer }
    return .text(RawArguments.text(text))
  }

  /// Returns a value in one line of at most 40 cells, to be shown in brackets.
  static func shown(_ current: String) -> String {
    let line = current.split(whereSeparator: \.isNewline).joined(separator: " ")
    return TextCells.shortened(ReadableText.escaped(line), to: 40)
  }

  /// Discards input that was typed or pasted before the next question.
  func forgetTypedAhead() {
    if let editor { return editor.forget() }
    if isatty(STDIN_FILENO) == 1 { tcflush(STDIN_FILENO, TCIFLUSH) }
  }

  /// Creates a question whose answer is yes or no.
  func yesOrNo(_ question: String) -> Question {
    Question(
      label: "\(question) (\(words("talk.yesOrNo")))",
      complete: Question.words([words("talk.yes"), words("talk.no")]))
  }

  func askYesOrNo(_ question: String) throws -> Bool {
    while true {
      guard case .text(let answer) = try ask(yesOrNo(question)) else { return false }
      if isWord(answer, "talk.yes") { return true }
      if isWord(answer, "talk.no") { return false }
      try complain(words("talk.answerYesOrNo"))
    }
  }

  /// The outcome of offering a choice.
  enum Choice {
    case kept, none
    case option(Int)
  }

  /// Offers numbered options. Accepts a number, one of an option's words, or a prefix that matches only one option.
  func choose(_ label: String, options: [[String]], selected: Int?) throws -> Choice {
    let shown = options.map { $0.first ?? "" }
    let question = Question(
      label: label, current: selected.map { shown[$0] } ?? "", help: words("talk.choose"),
      complete: Question.words(shown))
    while true {
      for (number, option) in shown.enumerated() { try say("  \(number + 1)  \(option)") }
      switch try ask(question) {
      case .kept: return .kept
      case .emptied: return .none
      case .text(let answer):
        if let number = Int(answer), options.indices.contains(number - 1) {
          return .option(number - 1)
        }
        func chosen(_ isMeant: (String) -> Bool) -> [Int] {
          options.indices.filter { options[$0].contains(where: isMeant) }
        }
        let typed = answer.lowercased()
        let same = chosen { $0.lowercased() == typed }
        let begun = same.isEmpty ? chosen { $0.lowercased().hasPrefix(typed) } : same
        if begun.count == 1 { return .option(begun[0]) }
        try complain(words("talk.choose"))
      }
    }
  }

  /// Returns `true` if the answer is this word in English or the reader's language, ignoring case.
  private func matches(_ answer: String, _ key: TextKey) -> Bool {
    [words(key), Words(.en)(key)].contains { $0.lowercased() == answer.lowercased() }
  }

  /// Returns `true` if the answer is this word or its first letter.
  func isWord(_ answer: String, _ key: TextKey) -> Bool {
    [words(key), Words(.en)(key)].contains { word in
      [word, String(word.prefix(1))].contains(answer.lowercased())
    }
  }

  /// Reads a line with the editor or from standard input. Returns `nil` at the end of input.
  private func readAnswer(_ question: String, _ asked: Question) throws -> String? {
    do {
      if let editor {
        return try editor.line(question, isLong: asked.isLong, complete: asked.complete)
      }
      try Output.write(question)
      return try readLine()
    } catch is LineEditor.TooLong {
      let limit = words.fileSize(LineEditor.maxLength)
      throw Failure(
        code: "answer-too-long", message: words("talk.tooLong", ["limit": limit]), exitCode: 65)
    }
  }

  /// Reads a line of standard input without its end. Returns `nil` at the end of input. Reads single bytes, so that
  /// later answers stay unread.
  ///
  /// - Throws: `LineEditor.TooLong` if the line is too long, because its rest would be taken for the next lines.
  private func readLine() throws -> String? {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = Foundation.read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return line.isEmpty ? nil : RawArguments.encode(line) }
      if byte == UInt8(ascii: "\n") { return RawArguments.encode(line) }
      if byte != UInt8(ascii: "\r") { line.append(byte) }
      guard line.count <= LineEditor.maxLength else { throw LineEditor.TooLong() }
    }
  }
}
