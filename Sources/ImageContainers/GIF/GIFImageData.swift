/// Reads the LZW codes of a frame (GIF89a, appendix F). It determines the number of pixels, the used indices and the end
/// of the codes, and produces the pixels only for the few frames that are encoded again.
struct GIFImageData {
  /// The number of pixels for each code.
  private var lengths = InlineArray<4096, UInt16>(repeating: 1)
  /// The literals that occurred before all pixels were complete. They are all indices that pixels have, because longer
  /// strings are made of earlier literals.
  private var used = InlineArray<2048, Bool>(repeating: false)

  /// The facts about the codes of a frame.
  struct Reading {
    /// The bits of a literal, from the first byte.
    var literalBits = 0
    /// The range of the sub-blocks, from the first size byte up to the terminator.
    var subBlocks = 0..<0
    /// The number of code bytes in them, up to the byte with the end code.
    var byteCount = 0
    /// The bits of that last byte that belong to the codes.
    var lastMask: UInt8 = 0xFF
    /// The end of that last byte in the file.
    var end = 0
    /// `true` if the codes are as an encoder writes them: no surplus pixel, no two clear codes in a row, and an end
    /// code.
    var isPlain = true
    /// `true` if the file ends before the terminator.
    var lacksEnd = false
    /// The indices that pixels have.
    var used = GIFIndices()
  }

  /// Parses the code size and the sub-blocks of a frame, from the reader's position past the terminator.
  ///
  /// Sub-blocks after the end of the codes are ignored, as in all decoders. The file may end as soon as all pixels are
  /// complete.
  mutating func parse(
    _ reader: inout ByteReader, pixels: Int, isInterlaced: Bool
  ) throws(ContainerError) -> Reading {
    var output = NoPixels()
    return try parse(&reader, pixels: pixels, isInterlaced: isInterlaced, into: &output)
  }

  /// Returns the pixels of a frame that was parsed before, in the order of the data.
  mutating func pixels(
    of reading: Reading, in bytes: [UInt8], count: Int
  ) throws(ContainerError) -> [UInt8] {
    var reader = ByteReader(bytes)
    reader.offset = reading.subBlocks.lowerBound - 1
    var output = Pixels(count: count)
    _ = try parse(&reader, pixels: count, isInterlaced: false, into: &output)
    return output.pixels
  }

  private mutating func parse(
    _ reader: inout ByteReader, pixels: Int, isInterlaced: Bool, into output: inout some CodeOutput
  ) throws(ContainerError) -> Reading {
    let bytes = reader.bytes
    let literalBits = try reader.u8("gif-code-size")
    // The specification requires 2 to 8. Browsers also accept 1, and libnsgif all sizes for which 12-bit codes are
    // enough.
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
      guard readCodes(block, of: bytes, &codes, into: &output) == nil else { break }
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
      // No palette has this many colors, and decoders handle it differently.
      guard code < 256 else { throw .malformed("gif-lzw-code", offset: start) }
      reading.used.insert(code)
    }
    return reading
  }

  /// Processes the codes of a sub-block. Returns the offset of the first invalid code, if any.
  private mutating func readCodes(
    _ block: Range<Int>, of bytes: [UInt8], _ state: inout CodeState,
    into output: inout some CodeOutput
  ) -> Int? {
    // The local copy stays in registers, which matters for millions of codes. The sums can't overflow, so only the
    // table bounds are checked.
    var codes = state
    defer { state = codes }
    let file = bytes.span.bytes
    var position = block.lowerBound
    /// Returns the offset of the byte in which the previous code ends.
    func lastByte() -> Int { position &- 1 &- codes.bitCount &>> 3 }
    while position < block.upperBound {
      if position &+ 8 <= block.upperBound {
        // Loads several codes at once, because a loop that loads at irregular intervals is hard for the branch
        // predictor. The load is in bounds because of the condition above, and a sub-block is inside the file.
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
        // After all pixels, only the end code may follow.
        if code == codes.clear &+ 1 || codes.isComplete {
          codes.hasEndCode = code == codes.clear &+ 1
          codes.isOver = true
          codes.end = lastByte() &+ 1
          codes.bitCount &= 7
          return nil
        }
        if codes.previousLength == 0 {
          guard code < codes.clear else { return lastByte() }
          // With literals of one bit, the first free code already needs more bits.
          if codes.next == codes.limit { codes.grow() }
        } else {
          guard code <= codes.next, code < 4096 else { return lastByte() }
          if codes.next < 4096 {
            lengths[codes.next] = UInt16(truncatingIfNeeded: codes.previousLength &+ 1)
            output.define(codes.next)
            codes.next &+= 1
            if codes.next == codes.limit, codes.size < 12 { codes.grow() }
          }
        }
        if code < codes.clear { used[code] = true }
        codes.wasCleared = false
        codes.previousLength = Int(lengths[code])
        codes.missing &-= codes.previousLength
        output.append(code, isLiteral: code < codes.clear, count: codes.previousLength)
      }
    }
    return nil
  }

  /// The state of the decoder between two codes.
  private struct CodeState {
    let literalBits: Int
    /// The code that clears the table. The next one ends the picture.
    let clear: Int
    /// The bits that were read and not used yet, the next code lowest. Bits above `bitCount` may already contain more
    /// data.
    var bits: UInt64 = 0
    var bitCount = 0
    /// The size of the next code in bits.
    var size: Int
    /// The first number that needs more bits.
    var limit: Int
    /// The code of the next table entry.
    var next: Int
    /// The number of pixels of the previous code, or 0 after a clear code.
    var previousLength = 0
    /// The number of missing pixels.
    var missing: Int
    var hasEndCode = false
    var isOver = false
    /// The end of the byte with the last code, set at the end of the codes.
    var end = 0
    /// `wasCleared` is `true` if the previous code was a clear code; `hasIdleClear` is `true` if any clear code had no
    /// effect.
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

/// An output of the codes that are read.
private protocol CodeOutput {
  /// Defines a string: the one that was appended last, and the pixel that follows it.
  mutating func define(_ code: Int)
  mutating func append(_ code: Int, isLiteral: Bool, count: Int)
}

private struct NoPixels: CodeOutput {
  mutating func define(_ code: Int) {}
  mutating func append(_ code: Int, isLiteral: Bool, count: Int) {}
}

private struct Pixels: CodeOutput {
  private(set) var pixels: [UInt8]
  private var filled = 0
  /// The pixel at which the last string starts, and those at which each defined string starts.
  private var lastStart = 0
  private var starts = [Int](repeating: 0, count: 4_096)

  init(count: Int) { pixels = [UInt8](repeating: 0, count: count) }

  mutating func define(_ code: Int) { starts[code] = lastStart }

  mutating func append(_ code: Int, isLiteral: Bool, count: Int) {
    lastStart = filled
    let end = min(filled + count, pixels.count)
    if isLiteral, filled < end { pixels[filled] = UInt8(truncatingIfNeeded: code) }
    // One by one, because a string may end with its own first pixel.
    for place in filled..<end where !isLiteral {
      pixels[place] = pixels[starts[code] + place - filled]
    }
    filled = end
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
