/// Percent-encoding as AWS signs it: all but RFC 3986's unreserved characters, by the bytes of UTF-8.
enum PercentCoding {
  private static let digits = Array("0123456789ABCDEF".utf8)

  /// - Parameter keeps: a character that stays as it is, as `/` does in a path.
  static func encoded(_ text: String, keeping keeps: Character? = nil) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      case keeps?.asciiValue: bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
