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
      if let offset = take(block, of: bytes, &codes) {
        throw .malformed("gif-lzw-code", offset: offset)
      }
      if codes.isComplete, !wasComplete || codes.hasEndCode { codesEnd = block.upperBound }
    }
    guard codes.isComplete, let codesEnd else {
      throw .truncated("gif-frame-pixels", offset: reader.offset)
    }
    return codesEnd
  }

  /// Takes the codes of a sub-block; gives the offset where one cannot stand.
  private mutating func take(
    _ block: Range<Int>, of bytes: [UInt8], _ state: inout CodeState
  ) -> Int? {
    // A copy stays in the processor's registers: millions of codes come by here. No sum outgrows an
    // integer, so nothing is checked but the table's bounds.
    var codes = state
    defer { state = codes }
    for index in block {
      codes.bits |= Int(bytes[index]) &<< codes.bitCount
      codes.bitCount &+= 8
      while codes.bitCount >= codes.size {
        let code = codes.bits & (codes.limit &- 1)
        codes.bits = codes.bits &>> codes.size
        codes.bitCount &-= codes.size
        if code == codes.clear {
          codes.restart()
          continue
        }
        // When all pixels are there, only the end code may follow.
        if code == codes.clear &+ 1 || codes.isComplete {
          codes.hasEndCode = code == codes.clear &+ 1
          codes.isOver = true
          return nil
        }
        if codes.previousLength == 0 {
          guard code < codes.clear else { return index }
        } else {
          guard code <= codes.next, code < 4096 else { return index }
          if codes.next < 4096 {
            lengths[codes.next] = UInt16(truncatingIfNeeded: codes.previousLength &+ 1)
            codes.next &+= 1
            if codes.next == codes.limit, codes.size < 12 { codes.grow() }
          }
        }
        codes.previousLength = Int(lengths[code])
        codes.missing &-= codes.previousLength
      }
    }
    return nil
  }

  /// What the decoder of codes remembers between two of them.
  private struct CodeState {
    let literalBits: Int
    /// The code that empties the table; the one behind it ends the picture.
    let clear: Int
    /// Bits read and not yet used, the next code lowest.
    var bits = 0
    var bitCount = 0
    /// Bits of the next code.
    var size: Int
    /// The first number that needs more bits.
    var limit: Int
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
      clear = 1 << literalBits
      size = literalBits + 1
      limit = clear * 2
      next = clear + 2
      missing = pixels
    }

    var isComplete: Bool { missing <= 0 }

    mutating func grow() {
      size += 1
      limit *= 2
    }

    mutating func restart() {
      size = literalBits + 1
      limit = clear * 2
      next = clear + 2
      previousLength = 0
    }
  }
}
