import SystemPackage

/// Names and paths as they may safely be shown: whatever could steer a terminal or mislead a reader
/// is escaped, and the length is bounded.
enum DisplayText {
  /// Characters of a name that are shown.
  static let longestName = 80
  /// Characters of a path that are shown.
  static let longestPath = 240

  /// A file's name for people.
  static func name(_ name: String) -> String { shortened(escaped(name), to: longestName) }

  /// A path for people.
  static func path(_ path: FilePath) -> String { shortened(exact(path), to: longestPath) }

  /// A path with nothing left out, for programs; bytes that are not UTF-8 become `\xNN`.
  static func verbatim(_ path: FilePath) -> String { utf8(path.bytes) }

  /// A path with control characters escaped and nothing left out.
  static func exact(_ path: FilePath) -> String { escaped(verbatim(path)) }

  /// Bytes as text; what is not UTF-8 becomes `\xNN`.
  static func utf8(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    return RawArguments.encode(bytes).unicodeScalars.map { scalar in
      let encoded = RawArguments.decode(String(scalar))
      return encoded.count == 1 && encoded[0] >= 0x80 ? "\\x" + hex(encoded[0]) : String(scalar)
    }.joined()
  }

  /// Escapes control characters, bidirectional overrides and other invisible steering.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\n": return "\\n"
      case "\r": return "\\r"
      case "\t": return "\\t"
      default: break
      }
      switch scalar.properties.generalCategory {
      case .control where scalar.value < 0x80: return "\\x" + hex(UInt8(scalar.value))
      // Joiners shape emoji and several scripts; they hide nothing.
      case .format where scalar.value == 0x200D || scalar.value == 0x200C: return String(scalar)
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        return "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      default: return String(scalar)
      }
    }.joined()
  }

  /// Leaves out the middle, so that a name keeps its beginning and its extension.
  private static func shortened(_ text: String, to length: Int) -> String {
    guard text.count > length else { return text }
    let tail = length / 3
    return text.prefix(length - tail - 1) + "…" + text.suffix(tail)
  }

  private static func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }
}
