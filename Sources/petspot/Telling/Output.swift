import Foundation
import PhotoAttachments

/// Standard output and standard error.
enum Output {
  /// Writes a line to standard output; `storage` when it cannot be written (disk full, closed
  /// pipe), so that a script never takes half an answer for a whole one.
  static func line(_ text: String) throws(StoreError) {
    try write(text + "\n")
  }

  /// Writes text to standard output as it is.
  static func write(_ text: String) throws(StoreError) {
    guard send(text, to: STDOUT_FILENO) else {
      throw StoreError(operation: "write", path: "standard output", errno: errno)
    }
  }

  /// Writes a line to standard error; there is nobody to tell when that fails.
  static func note(_ text: String) {
    _ = send(text + "\n", to: STDERR_FILENO)
  }

  /// Writes text to standard error as it is, for progress.
  static func raw(_ text: String) {
    _ = send(text, to: STDERR_FILENO)
  }

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
