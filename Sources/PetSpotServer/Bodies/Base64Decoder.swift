/// Decodes standard base64 (RFC 4648, section 4) incrementally. Accepts only the canonical text for some bytes: padded,
/// without line ends, and without bits after the last byte (3.5).
struct Base64Decoder {
  private var bits: UInt32 = 0
  private var count = 0
  private var padding = 0
  private var isBroken = false

  /// The value of each character of the alphabet. 64 for `=`, 255 for all other characters.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
    for (value, character) in alphabet.utf8.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// Decodes characters up to the first that is not base64.
  ///
  /// - Returns: the number of characters that were read.
  mutating func feed(
    _ text: some RandomAccessCollection<UInt8>, into bytes: inout [UInt8]
  ) -> Int {
    var bits = bits
    var count = count
    var taken = 0
    Self.values.withUnsafeBufferPointer { values in
      for character in text {
        let value = values[Int(character)]
        if value >= 64 {
          guard value == 64 else { break }
          padding += 1
        } else {
          if padding > 0 { isBroken = true }
          bits = bits << 6 | UInt32(value)
          count += 1
          if count == 4 {
            bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bits = 0
            count = 0
          }
        }
        taken += 1
      }
    }
    self.bits = bits
    self.count = count
    return taken
  }

  /// Appends the bytes of the last, shorter group.
  ///
  /// - Returns: `true` if the whole text was valid base64.
  mutating func finish(into bytes: inout [UInt8]) -> Bool {
    switch (count, padding) {
    case (0, 0): break
    case (2, 2) where bits & 0xF == 0: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
    case (3, 1) where bits & 3 == 0:
      bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
      bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
    default: return false
    }
    return !isBroken
  }
}
