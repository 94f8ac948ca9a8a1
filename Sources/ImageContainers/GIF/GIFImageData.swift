/// Follows the LZW codes of a frame without making pixels: how many pixels they stand for, which
/// indices these have, and where they end (GIF89a, appendix F).
struct GIFImageData {
  /// Pixels that each code stands for.
  private var lengths = InlineArray<4096, UInt16>(repeating: 1)
  /// Which literals came while pixels were missing. A string is made of literals that came before.
  private var used = InlineArray<2048, Bool>(repeating: false)

  /// What the codes of a frame are.
  struct Reading {
    /// Bits of a literal, from the first byte.
    var literalBits = 0
    /// The sub-blocks from the first count up to the terminator.
    var subBlocks = 0..<0
    /// Bytes of the codes in them, the last one that of the end code.
    var byteCount = 0
    /// The bits of that byte that belong to the codes.
    var lastMask: UInt8 = 0xFF
    /// Where that byte ends in the file.
    var end = 0
    /// Whether the codes are as an encoder makes them: no pixel too many, no two clear codes in a row,
    /// the end code there.
    var isPlain = true
    /// Whether the file ends before the terminator.
    var lacksEnd = false
    /// Whether a pixel has this index.
    var used = GIFIndices()
  }

  /// Parses code size and sub-blocks of one frame, from the reader's place past the terminator.
  ///
  /// More sub-blocks can follow the codes' end; no decoder looks at them. The file may end as soon as all
  /// pixels are there.
  mutating func parse(
    _ reader: inout ByteReader, pixels: Int, isInterlaced: Bool
  ) throws(ContainerError) -> Reading {
    let bytes = reader.bytes
    let literalBits = try reader.u8("gif-code-size")
    // The specification says 2 to 8; browsers take 1 too, libnsgif what a 12-bit code can follow.
    guard (1...11).contains(literalBits) else {
      throw .malformed("gif-code-size", offset: reader.offset - 1)
    }
    var reading = Reading(literalBits: literalBits)
    var codes = CodeState(literalBits: literalBits, pixels: pixels)
    for code in 0..<codes.clear {
      lengths[code] = 1
      used[code] = false
    }
    let start = reader.offset

    var count = 0
    repeat {
      reading.lacksEnd = reader.isAtEnd
      count = reader.isAtEnd ? 0 : try reader.u8("gif-image-data")
      let block = reader.offset..<min(reader.offset + count, reader.end)
      reader.offset = block.upperBound
      if codes.isOver || block.isEmpty { continue }
      guard take(block, of: bytes, &codes) == nil else { break }
      reading.end = codes.isOver ? codes.end : block.upperBound
      reading.byteCount += reading.end - block.lowerBound
    } while count > 0
    guard codes.isComplete else {
      throw .incomplete(
        "gif-frame-pixels", shown: pixels - codes.missing, of: pixels, isInterlaced: isInterlaced)
    }
    reading.subBlocks = start..<reader.offset - (reading.lacksEnd ? 0 : 1)
    reading.lastMask = 0xFF >> UInt8(min(7, codes.bitCount))
    reading.isPlain =
      codes.hasEndCode && codes.missing == 0 && !codes.hasIdleClear && 2...8 ~= literalBits
    for code in 0..<codes.clear where used[code] {
      // No palette has this many colors, and decoders differ in what they make of it.
      guard code < 256 else { throw .malformed("gif-lzw-code", offset: start) }
      reading.used.insert(code)
    }
    return reading
  }

  /// Takes the codes of a sub-block; gives the offset where one cannot stand.
  private mutating func take(
    _ block: Range<Int>, of bytes: [UInt8], _ state: inout CodeState
  ) -> Int? {
    // A copy stays in the processor's registers: millions of codes come by here. No sum outgrows an
    // integer, so nothing is checked but the table's bounds.
    var codes = state
    defer { state = codes }
    let file = bytes.span.bytes
    var position = block.lowerBound
    /// Returns the byte that the code before ends in.
    func lastByte() -> Int { position &- 1 &- codes.bitCount &>> 3 }
    while position < block.upperBound {
      if position &+ 8 <= block.upperBound {
        // Some codes at once: a loop that now and then takes one is hard to foretell. In bounds by the
        // line above, and a sub-block is in the file.
        let word = unsafe file.unsafeLoadUnaligned(
          fromUncheckedByteOffset: position, as: UInt64.self)
        codes.bits |= word.littleEndian &<< UInt64(truncatingIfNeeded: codes.bitCount)
        position &+= (63 &- codes.bitCount) &>> 3
        codes.bitCount |= 56
      } else {
        codes.bits |= UInt64(bytes[position]) &<< UInt64(truncatingIfNeeded: codes.bitCount)
        codes.bitCount &+= 8
        position &+= 1
      }
      while codes.bitCount >= codes.size {
        let code = Int(truncatingIfNeeded: codes.bits) & (codes.limit &- 1)
        codes.bits &>>= UInt64(truncatingIfNeeded: codes.size)
        codes.bitCount &-= codes.size
        if code == codes.clear {
          if codes.wasCleared || codes.isComplete { codes.hasIdleClear = true }
          codes.restart()
          continue
        }
        // When all pixels are there, only the end code may follow.
        if code == codes.clear &+ 1 || codes.isComplete {
          codes.hasEndCode = code == codes.clear &+ 1
          codes.isOver = true
          codes.end = lastByte() &+ 1
          codes.bitCount &= 7
          return nil
        }
        if codes.previousLength == 0 {
          guard code < codes.clear else { return lastByte() }
          // Literals of one bit: the first free code has more bits than they.
          if codes.next == codes.limit { codes.grow() }
        } else {
          guard code <= codes.next, code < 4096 else { return lastByte() }
          if codes.next < 4096 {
            lengths[codes.next] = UInt16(truncatingIfNeeded: codes.previousLength &+ 1)
            codes.next &+= 1
            if codes.next == codes.limit, codes.size < 12 { codes.grow() }
          }
        }
        if code < codes.clear { used[code] = true }
        codes.wasCleared = false
        codes.previousLength = Int(lengths[code])
        codes.missing &-= codes.previousLength
      }
    }
    return nil
  }

  /// What the decoder of codes remembers between two of them.
  private struct CodeState {
    let literalBits: Int
    /// The code that empties the table; the one after it ends the picture.
    let clear: Int
    /// Bits read and not yet used, the next code lowest; above `bitCount` there may be others already.
    var bits: UInt64 = 0
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
    /// Where the byte of the last code ends, once the codes are over.
    var end = 0
    /// Whether the code before was a clear code, and whether one ever had nothing to clear.
    var wasCleared = false
    var hasIdleClear = false

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
      wasCleared = true
    }
  }
}

/// A set of color indices, 0 to 255.
struct GIFIndices: Equatable {
  private var words = SIMD4<UInt64>()

  mutating func insert(_ index: Int) { words[index >> 6] |= 1 << UInt64(index & 63) }
  mutating func remove(_ index: Int) { words[index >> 6] &= ~(1 << UInt64(index & 63)) }
  mutating func formUnion(_ other: GIFIndices) { words |= other.words }
  func contains(_ index: Int) -> Bool { words[index >> 6] >> UInt64(index & 63) & 1 == 1 }

  var isEmpty: Bool { words == SIMD4() }
  var highest: Int { (0..<256).last(where: contains) ?? 0 }
  var firstMissing: Int? { (0..<256).first { !contains($0) } }
}
