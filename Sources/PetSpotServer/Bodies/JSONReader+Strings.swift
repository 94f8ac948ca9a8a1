import PhotoModel
import PhotoUploads

extension JSONReader {
  /// Reads a string, starting at its opening quote. Throws if it has more than `limit` bytes as written. A string
  /// without escapes is copied once, so that a photo in base64 is read fast.
  mutating func string(limit: Int = .max) throws(StrictJSONError) -> String {
    index += 1
    let start = index
    try skipPlain()
    var text: String?
    if next == UInt8(ascii: "\"") {
      text = String(validating: bytes[start..<index], as: UTF8.self)
    } else {
      var unescaped = [UInt8](bytes[start..<index])
      while next == UInt8(ascii: "\\") {
        try appendEscape(to: &unescaped)
        let plain = index
        try skipPlain()
        unescaped += bytes[plain..<index]
      }
      // Escapes yield whole characters, so they can't complete a truncated character.
      text = String(validating: unescaped, as: UTF8.self)
    }
    guard let text else { throw error("it isn't UTF-8", at: start) }
    guard index - start <= limit else { throw error("a key is too long", at: start) }
    index += 1
    return text.withShortRowsOfMarks
  }

  /// Skips to the next quote or backslash.
  private mutating func skipPlain() throws(StrictJSONError) {
    var end = index
    while end < bytes.count, bytes[end] != UInt8(ascii: "\""), bytes[end] != UInt8(ascii: "\\"),
      bytes[end] >= 0x20
    {
      end += 1
    }
    index = end
    guard end < bytes.count else { throw error("it ends too early") }
    guard bytes[end] >= 0x20 else { throw error("a string contains a control character") }
  }

  /// Reads one escape, or both escapes of a surrogate pair.
  private mutating func appendEscape(to text: inout [UInt8]) throws(StrictJSONError) {
    let start = index
    index += 2
    switch start + 1 < bytes.count ? bytes[start + 1] : 0 {
    case UInt8(ascii: "\""): text.append(UInt8(ascii: "\""))
    case UInt8(ascii: "\\"): text.append(UInt8(ascii: "\\"))
    case UInt8(ascii: "/"): text.append(UInt8(ascii: "/"))
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var value = try fourDigits(of: start)
      if 0xD800...0xDBFF ~= value {
        guard bytes[index...].starts(with: #"\u"#.utf8) else {
          throw error("a string contains an unpaired surrogate", at: start)
        }
        index += 2
        let low = try fourDigits(of: start)
        guard 0xDC00...0xDFFF ~= low else {
          throw error("a string contains an unpaired surrogate", at: start)
        }
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
      }
      guard value != 0 else { throw error("a string contains NUL", at: start) }
      guard let scalar = Unicode.Scalar(value) else {
        throw error("a string contains an unpaired surrogate", at: start)
      }
      text += scalar.utf8
    default: throw error("an escape sequence is invalid", at: start)
    }
  }

  /// Reads the hexadecimal digits of the escape that begins at `start`.
  private mutating func fourDigits(of start: Int) throws(StrictJSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = next?.hexValue else {
        throw error("an escape sequence is invalid", at: start)
      }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }
}
