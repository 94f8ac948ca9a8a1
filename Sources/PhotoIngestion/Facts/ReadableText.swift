/// Makes names from outside safe to record and display. No character can control a terminal or mislead a reader, and
/// every change is visible.
package enum ReadableText {
  /// Returns bytes as text. Each byte that isn't part of valid UTF-8 becomes `\xNN`.
  package static func utf8(_ bytes: some Collection<UInt8>) -> String {
    if let whole = String(validating: bytes, as: UTF8.self) { return whole }
    var text = String.UnicodeScalarView()
    var parser = Unicode.UTF8.ForwardParser()
    var input = bytes.makeIterator()
    var position = bytes.startIndex
    while true {
      switch parser.parseScalar(from: &input) {
      case .valid(let encoded):
        text.append(Unicode.UTF8.decode(encoded))
        position = bytes.index(position, offsetBy: encoded.count)
      case .error(let length):
        for _ in 0..<length {
          text += ("\\x" + hex(UInt32(bytes[position]))).unicodeScalars
          position = bytes.index(after: position)
        }
      case .emptyInput: return String(text)
      }
    }
  }

  /// Escapes control characters, bidirectional overrides, line separators and all other invisible characters: `\n`,
  /// `\x1B`, `\u{202E}`. Existing escapes stay as they are.
  package static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\n": return "\\n"
      case "\r": return "\\r"
      case "\t": return "\\t"
      default: break
      }
      guard isUnseen(scalar) else { return String(scalar) }
      return scalar.value < 0x80
        ? "\\x" + hex(scalar.value)
        : "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }.joined()
  }

  /// Returns `true` if a scalar is a control character or invisible.
  static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    // Joiners shape emoji and several scripts and hide nothing.
    case .format: scalar.value != 0x200D && scalar.value != 0x200C
    case .control, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
    default: false
    }
  }

  private static func hex(_ byte: UInt32) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
  }
}
