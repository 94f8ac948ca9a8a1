extension UInt8 {
  /// `true` for `0` to `9`.
  package var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

  /// `true` for an ASCII letter or digit.
  package var isLetterOrDigit: Bool {
    isDigit || UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20
  }

  /// The value of a hexadecimal digit. `nil` for another character.
  package var hexValue: UInt8? {
    if isDigit { return self & 15 }
    return UInt8(ascii: "a")...UInt8(ascii: "f") ~= self | 0x20 ? self & 15 + 9 : nil
  }
}

extension StringProtocol {
  /// Returns the number if the text consists of 1 to `most` digits, otherwise `nil`.
  package func digits(most: Int) -> Int? {
    (1...most).contains(utf8.count) && utf8.allSatisfy(\.isDigit) ? Int(self) : nil
  }
}
