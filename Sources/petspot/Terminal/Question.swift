struct Question {
  var label: String
  /// What stands there already; kept with an empty answer.
  var current = ""
  /// What the word for help shows beyond the general help.
  var help: String?
  /// Whether the answer may have several lines.
  var isLong = false
  /// What the beginning of an answer can become.
  var complete: (String) -> [String] = { _ in [] }

  /// A choice's words, for completion.
  static func words(_ options: [String]) -> (String) -> [String] {
    { typed in options.filter { $0.lowercased().hasPrefix(typed.lowercased()) } }
  }
}

enum Answer: Equatable {
  /// The empty answer: what stands there stays.
  case kept
  /// A single dash: nothing shall stand there.
  case emptied
  case text(String)
}

/// Why a question was left without an answer.
enum ConversationExit: Error {
  case back, quit
}
