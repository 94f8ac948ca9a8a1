/// Follows the LZW codes of a frame without making pixels: how many pixels they stand for, and
/// where they end (GIF89a, appendix F).
struct GIFImageData {
  /// Pixels that each code stands for.
  private var lengths = InlineArray<4096, UInt16>(repeating: 1)

  /// Walks code size and sub-blocks of one frame, from the reader's place past the terminator.
  ///
  /// Returns the end of the last sub-block that decoding needs. More sub-blocks can follow; no
  /// decoder looks at them.
  mutating func walk(_ reader: inout ByteReader, pixels: Int) throws(ContainerError) -> Int {
    let bytes = reader.bytes
    let literalBits = try reader.u8("gif-code-size")
    // The specification says 2 to 8; libnsgif takes what a 12-bit code can follow.
    guard (1...11).contains(literalBits) else {
      throw .malformed("gif-code-size", offset: reader.offset - 1)
    }
    var codes = CodeState(literalBits: literalBits, pixels: pixels)
    for code in 0..<codes.clear { lengths[code] = 1 }
    var codesEnd: Int?

    while true {
      let count = try reader.u8("gif-image-data")
      if count == 0 { break }
      let block = try reader.range(count, for: "gif-image-data")
      if codes.isOver { continue }
      let wasComplete = codes.isComplete
      for index in block {
        codes.bits |= UInt32(bytes[index]) << UInt32(codes.bitCount)
        codes.bitCount += 8
        while codes.bitCount >= codes.size, !codes.isOver {
          guard take(&codes) else { throw .malformed("gif-lzw-code", offset: index) }
        }
        if codes.isOver { break }
      }
      if codes.isComplete, !wasComplete || codes.hasEndCode { codesEnd = block.upperBound }
    }
    guard codes.isComplete, let codesEnd else {
      throw .truncated("gif-frame-pixels", offset: reader.offset)
    }
    return codesEnd
  }

  /// Takes one code; false when it cannot stand here.
  @inline(__always)
  private mutating func take(_ codes: inout CodeState) -> Bool {
    let code = Int(codes.bits & (1 << UInt32(codes.size) - 1))
    codes.bits >>= UInt32(codes.size)
    codes.bitCount -= codes.size

    if code == codes.clear {
      codes.restart()
      return true
    }
    if code == codes.clear + 1 {
      codes.hasEndCode = true
      codes.isOver = true
      return true
    }
    if codes.isComplete {
      // All pixels are there; only the end code may follow.
      codes.isOver = true
      return true
    }
    let length: Int
    if codes.previousLength == 0 {
      guard code < codes.clear else { return false }
      length = 1
    } else {
      guard code <= codes.next, code < 4096 else { return false }
      if codes.next < 4096 {
        lengths[codes.next] = UInt16(truncatingIfNeeded: codes.previousLength + 1)
        codes.next += 1
        if codes.next == 1 << codes.size, codes.size < 12 { codes.size += 1 }
      }
      length = Int(lengths[code])
    }
    codes.previousLength = length
    codes.missing -= length
    return true
  }

  /// What the decoder of codes remembers between two of them.
  private struct CodeState {
    let literalBits: Int
    /// Bits read and not yet used, the next code lowest.
    var bits: UInt32 = 0
    var bitCount = 0
    /// Bits of the next code.
    var size: Int
    /// The code that the next entry of the table gets.
    var next: Int
    /// Pixels of the code before, 0 after a clear code.
    var previousLength = 0
    /// Pixels still to come.
    var missing: Int
    var hasEndCode = false
    var isOver = false

    init(literalBits: Int, pixels: Int) {
      self.literalBits = literalBits
      size = literalBits + 1
      next = 1 << literalBits + 2
      missing = pixels
    }

    var clear: Int { 1 << literalBits }
    var isComplete: Bool { missing <= 0 }

    mutating func restart() {
      size = literalBits + 1
      next = clear + 2
      previousLength = 0
    }
  }
}
