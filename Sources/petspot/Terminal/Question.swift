/// A question of the conversation about one value.
struct Question {
  var label: String
  /// The current value, which an empty answer keeps.
  var current = ""
  /// Help text for this question, shown before the general help.
  var help: String?
  /// `true` if the answer may have several lines.
  var isLong = false
  /// Returns the completions of a typed prefix.
  var complete: (String) -> [String] = { _ in [] }

  /// Returns a completion function for the words of a choice.
  static func words(_ options: [String]) -> (String) -> [String] {
    { typed in options.filter { $0.lowercased().hasPrefix(typed.lowercased()) } }
  }
}

/// The answer to a question.
enum Answer: Equatable {
  /// An empty answer, which keeps the current value.
  case kept
  /// A single dash, which clears the value.
  case emptied
  case text(String)
}

/// The way in which a person left a question without answering it.
enum ConversationExit: Error {
  case back, quit
}
