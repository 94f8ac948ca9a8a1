import Foundation
import Glibc
package import Logging

/// The format of the lines that `LineLogHandler` writes.
package enum LogFormat: String, Sendable, Codable, CaseIterable {
  /// logfmt: `time=… level=info message="drafts deleted" bytes=7`.
  case text
  /// One JSON object per entry, whose values are strings.
  case json
}

/// Writes a log with one line per entry.
///
/// In logfmt, a value is quoted unless it consists of visible ASCII characters other than `"`, `=` and `\`. Inside
/// quotes, invisible characters and line breaks are escaped as in JSON.
package struct LineLogHandler: LogHandler {
  /// The lowest level that is written.
  package var logLevel = Logger.Level.info
  /// The metadata of every entry.
  package var metadata: Logger.Metadata = [:]
  private let label: String
  private let format: LogFormat
  private let write: @Sendable (String) -> Void

  /// Creates a log on standard error.
  package init(label: String, level: Logger.Level, format: LogFormat = .text) {
    self.init(label: label, level: level, format: format, write: Self.writeError)
  }

  /// Creates a log that passes complete lines, including the line break, to a closure.
  package init(
    label: String, level: Logger.Level, format: LogFormat = .text,
    write: @escaping @Sendable (String) -> Void
  ) {
    self.label = label
    self.format = format
    logLevel = level
    self.write = write
  }

  /// Drops a line that can't be written, because logging must not stop the program.
  private static func writeError(_ line: String) {
    Array(line.utf8).withUnsafeBytes { bytes in
      var rest = bytes[...]
      while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
        let count = Glibc.write(STDERR_FILENO, start, rest.count)
        guard count > 0 || errno == EINTR else { return }
        rest = rest.dropFirst(max(0, count))
      }
    }
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    var facts = metadata.merging(event.metadata ?? [:]) { $1 }
    if let error = event.error { facts["error"] = "\(error)" }
    let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let head = [
      ("time", time), ("level", event.level.rawValue), ("logger", label),
      ("message", event.message.description),
    ]
    let pairs = head + facts.sorted { $0.key < $1.key }.map { ($0.key, $0.value.description) }
    switch format {
    case .text: write(pairs.map { $0.0 + "=" + Self.quoted($0.1) }.joined(separator: " ") + "\n")
    case .json:
      let members = pairs.map { Self.jsonString($0.0) + ":" + Self.jsonString($0.1) }
      write("{" + members.joined(separator: ",") + "}\n")
    }
  }

  /// Returns a value in the form that a line contains.
  package static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy {
      (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "=")
        && $0 != UInt8(ascii: "\\")
    }
    return isPlain && !text.isEmpty ? text : jsonString(text)
  }

  private static func jsonString(_ text: String) -> String {
    var quoted = String.UnicodeScalarView("\"".unicodeScalars)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += ["\\", scalar]
      case "\n": quoted += "\\n".unicodeScalars
      case "\r": quoted += "\\r".unicodeScalars
      case "\t": quoted += "\\t".unicodeScalars
      case _ where ReadableText.isUnseen(scalar):
        for unit in UTF16.encode(scalar) ?? .init() {
          let digits = String(unit, radix: 16)
          let zeros = String(repeating: "0", count: 4 - digits.count)
          quoted += ("\\u" + zeros + digits).unicodeScalars
        }
      default: quoted.append(scalar)
      }
    }
    quoted.append("\"")
    return String(quoted)
  }
}
