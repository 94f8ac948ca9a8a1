/// Reads the LZW codes of a frame to their end (GIF89a, appendix F): they make its pixels and not one
/// more, the end code follows, then zero bits up to the next byte, then the terminator.
struct GIFProofCodes {
  /// Which indices a pixel has. A string of the dictionary is made of indices that came alone before.
  private(set) var used = [Bool](repeating: false, count: 256)

  mutating func read(_ reader: inout ByteReader, pixels: Int) throws(ContainerError) {
    var used = [Bool](repeating: false, count: 256)
    defer { self.used = used }
    /// Pixels that each code stands for.
    var pixelsOfCode = [UInt16](repeating: 1, count: 4_096)
    let literalBits = try reader.u8("gif-code-size")
    guard (1...8).contains(literalBits) else {
      throw .malformed("gif-code-size", offset: reader.offset - 1)
    }
    let clear = 1 << literalBits
    /// Bits not taken yet, the next one lowest; above `bitCount` there may be others already.
    var bits: UInt64 = 0
    var bitCount = 0
    var codeBits = literalBits + 1
    var entries = clear + 2
    var last = 0
    var left = pixels
    var ended = false
    var wasClear = false
    var isFull = true
    var position = 0
    var blockEnd = 0
    let bytes = reader.bytes
    let file = bytes.span.bytes
    /// Returns the byte that the code before ends in.
    func lastByte() -> Int { position - 1 - bitCount / 8 }

    while !ended {
      guard position < blockEnd else {
        let count = try reader.u8("gif-image-data")
        guard count > 0 else { throw .malformed("gif-end-code", offset: reader.offset - 1) }
        // Blocks are full but for the last, so that their sizes say nothing.
        guard isFull else { throw .malformed("gif-sub-block", offset: reader.offset - 1) }
        isFull = count == 255
        let block = try reader.range(count, for: "gif-image-data")
        position = block.lowerBound
        blockEnd = block.upperBound
        continue
      }
      if position &+ 8 <= blockEnd {
        // Some codes at once: a loop that now and then takes one is hard to foretell. In bounds by the
        // line above.
        let word = unsafe file.unsafeLoadUnaligned(
          fromUncheckedByteOffset: position, as: UInt64.self)
        bits |= word.littleEndian &<< UInt64(truncatingIfNeeded: bitCount)
        position &+= (63 &- bitCount) &>> 3
        bitCount |= 56
      } else {
        bits |= UInt64(bytes[position]) &<< UInt64(truncatingIfNeeded: bitCount)
        bitCount &+= 8
        position &+= 1
      }
      while bitCount >= codeBits, !ended {
        let code = Int(truncatingIfNeeded: bits) & (1 &<< codeBits &- 1)
        bits &>>= UInt64(truncatingIfNeeded: codeBits)
        bitCount &-= codeBits
        if code == clear {
          guard !wasClear, left > 0 else { throw .malformed("gif-clear", offset: lastByte()) }
          codeBits = literalBits + 1
          entries = clear + 2
          last = 0
          wasClear = true
          continue
        }
        wasClear = false
        if code == clear + 1 {
          ended = true
          continue
        }
        guard left > 0 else { throw .malformed("gif-unread-data", offset: lastByte()) }
        guard code < clear || last > 0 && code <= entries && code < 4_096 else {
          throw .malformed("gif-code", offset: lastByte())
        }
        if last > 0, entries < 4_096 {
          pixelsOfCode[entries] = UInt16(last + 1)
          entries += 1
          if entries == 1 << codeBits, codeBits < 12 { codeBits += 1 }
        }
        if code < clear {
          used[code] = true
          last = 1
        } else {
          last = Int(pixelsOfCode[code])
        }
        left -= last
      }
    }
    // The bytes after the last code's were not taken.
    position -= bitCount / 8
    bitCount %= 8
    bits &= 1 << UInt64(bitCount) - 1
    guard left == 0 else { throw .malformed("gif-pixels", offset: lastByte()) }
    guard position == blockEnd, bits == 0 else {
      throw .malformed("gif-unread-data", offset: position)
    }
    guard try reader.u8("gif-image-data") == 0 else {
      throw .malformed("gif-unread-data", offset: reader.offset - 1)
    }
  }
}
