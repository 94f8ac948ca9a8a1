import Foundation
import PhotoAttachments
import ReportFlow

/// Output to standard output and standard error.
enum Output {
  /// Writes a line to standard output. Throws `storage` if that fails (disk full, closed pipe), so that scripts never
  /// treat partial output as complete.
  static func line(_ text: String) throws(StoreError) { try write(text + "\n") }

  /// Writes a text for people to standard output, wrapped between words on a terminal.
  static func text(_ text: String) throws(StoreError) {
    try line(wrapped(text))
  }

  /// Returns the text, wrapped between words if the descriptor is a terminal.
  static func wrapped(_ text: String, for descriptor: Int32 = STDOUT_FILENO) -> String {
    guard isatty(descriptor) == 1 else { return text }
    return TextCells.wrapped(text, columns: Terminal(of: descriptor).columns)
  }

  /// Writes text to standard output unchanged.
  static func write(_ text: String) throws(StoreError) {
    guard send(text, to: STDOUT_FILENO) else {
      throw StoreError(operation: "write", path: "standard output", errno: errno)
    }
  }

  /// Writes a text for people to standard error, wrapped between words on a terminal. Ignores errors, because they
  /// could only be reported in the same way.
  static func printNote(_ text: String) {
    raw(wrapped(text, for: STDERR_FILENO) + "\n")
  }

  /// Writes a text to standard error, prefixed with the program's name.
  static func printNote(text: TextKey, _ values: [String: String] = [:]) {
    printNote("petspot: " + L10n.words(text, values))
  }

  /// Writes text to standard error unchanged, for progress and questions.
  static func raw(_ text: String) { _ = send(text, to: STDERR_FILENO) }

  /// Writes all bytes without buffering. Returns `false` after an error, with `errno` set.
  private static func send(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return false }
      rest = rest.dropFirst(written)
    }
    return true
  }
}
