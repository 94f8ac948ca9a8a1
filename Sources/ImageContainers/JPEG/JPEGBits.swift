/// The bits of a scan in the order in which a decoder reads them: most significant first, without stuffed zeros, up to
/// the next marker (T.81, F.2.2.5). Zeros follow after that, and `isOverrun` is `true` once they are taken.
struct JPEGBits {
  /// The position of the next byte that is not in `bits` yet.
  private(set) var position: Int
  /// The buffered bits, the next one highest.
  private(set) var bits: UInt64 = 0
  /// The number of buffered bits, including zeros that were added after the end of the data.
  private var count = 0
  /// The number of zeros that were added.
  private var missing = 0
  /// `true` if 0xFF may be repeated before a stuffed zero. Decoders skip such repetitions.
  private let skipsFill: Bool

  init(at position: Int, skippingFill skipsFill: Bool = false) {
    self.position = position
    self.skipsFill = skipsFill
  }

  /// Buffers at least 56 bits.
  @inline(__always)
  mutating func fill(_ file: RawSpan) {
    if position &+ 8 <= file.byteCount {
      // In bounds because of the line above. A second check would cost a fifth of all the time.
      let word = UInt64(
        bigEndian: unsafe file.unsafeLoadUnaligned(
          fromUncheckedByteOffset: position, as: UInt64.self))
      // Checks that no byte is 0xFF.
      if (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 == 0 {
        bits |= word &>> UInt64(truncatingIfNeeded: count)
        position &+= (63 &- count) >> 3
        count |= 56
        return
      }
    }
    self = filledAroundMarkers(file)
  }

  /// Fills a copy around markers. A call that changes `self` would keep it out of registers.
  @inline(never)
  private func filledAroundMarkers(_ file: RawSpan) -> JPEGBits {
    var filled = self
    while filled.count < 56 { filled.fillSome(file) }
    return filled
  }

  /// Buffers the bytes up to the next 0xFF that fit, or that 0xFF alone.
  @inline(__always)
  private mutating func fillSome(_ file: RawSpan) {
    func byte(_ index: Int) -> UInt8? {
      index < file.byteCount ? file.unsafeLoad(fromByteOffset: index, as: UInt8.self) : nil
    }
    if position + 8 <= file.byteCount {
      let word = file.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
      // The lowest mark belongs to the first 0xFF. Higher marks may be wrong.
      let marks = (~word.littleEndian &- 0x0101_0101_0101_0101) & word.littleEndian
      let plain = (marks & 0x8080_8080_8080_8080).trailingZeroBitCount / 8
      let taken = min(plain, (63 - count) / 8)
      if taken > 0 {
        bits |= (word.bigEndian & ~(UInt64.max >> UInt64(taken * 8))) >> UInt64(count)
        position += taken
        count += taken * 8
        return
      }
    }
    var next: UInt8 = 0
    if let value = byte(position), value != 0xFF {
      next = value
      position += 1
    } else {
      var zero = position + 1
      while skipsFill, byte(zero) == 0xFF { zero += 1 }
      if byte(position) == 0xFF, byte(zero) == 0 {
        next = 0xFF
        position = zero + 1
      } else {
        missing += 8
      }
    }
    bits |= UInt64(next) << UInt64(56 - count)
    count += 8
  }

  /// Returns the next `width` bits (1 to 32) without taking them.
  @inline(__always)
  func peek(_ width: Int) -> Int {
    Int(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 64 &- width))
  }

  /// Returns the number in the next `size` bits (at least 1) after `others` bits, without taking any (EXTEND).
  @inline(__always)
  func number(_ size: Int, after others: Int) -> Int {
    Self.number(size, after: others, in: bits)
  }

  /// Returns the number in the `size` bits (at least 1) after the first `others` of `bits`, the next bit highest.
  @inline(__always)
  static func number(_ size: Int, after others: Int, in bits: UInt64) -> Int {
    let rest = bits &<< UInt64(truncatingIfNeeded: others)
    let value = rest &>> UInt64(truncatingIfNeeded: 64 &- size)
    return number(Int(truncatingIfNeeded: value), size)
  }

  /// Returns the number that is coded by `size` bits. The lower half of the values encodes negative numbers (EXTEND).
  @inline(__always)
  static func number(_ bits: Int, _ size: Int) -> Int {
    bits >= (1 &<< size) >> 1 ? bits : bits &- (1 &<< size) &+ 1
  }

  /// Skips `others` bits (up to 16), and then takes `width` bits (0 to 16) as they are.
  @inline(__always)
  mutating func readBits(_ width: Int, after others: Int = 0) -> Int {
    let rest = bits &<< UInt64(truncatingIfNeeded: others)
    skip(others &+ width)
    return Int(truncatingIfNeeded: (rest &>> 32) &>> UInt64(truncatingIfNeeded: 32 &- width))
  }

  @inline(__always)
  mutating func skip(_ width: Int) {
    bits &<<= UInt64(truncatingIfNeeded: width)
    count &-= width
  }

  /// The number of bits before `position` that were not taken. Negative if more were taken than the data has.
  var left: Int { count - missing }
  /// `true` if more bits were taken than the data has.
  var isOverrun: Bool { count < missing }
  /// Returns `true` if more than `bytes` bytes were taken after the end of the data.
  func isOverrun(by bytes: Int) -> Bool { -left > bytes * 8 }

  /// Returns the end of the last byte of which a bit was taken since `start`.
  func end(_ file: [UInt8], from start: Int) -> Int {
    var end = position
    for _ in 0..<max(0, left / 8) {
      end -= 1
      // A stuffed zero belongs to the 0xFF before it.
      guard file[end] == 0 else { continue }
      while end > start, file[end - 1] == 0xFF { end -= 1 }
    }
    return end
  }
}

/// Reads single codes by means of `JPEGHuffmanTable.lookup`.
extension JPEGBits {
  /// Returns the entry of the next code without taking it, or 0 if the table has no such code.
  @inline(__always)
  func entry(_ lookup: UnsafePointer<UInt16>) -> UInt16 {
    let entry = lookup[peek(JPEGHuffmanTable.lookupBits)]
    guard entry & JPEGHuffmanTable.isFurther != 0 else { return entry }
    return lookup[Int(entry & ~JPEGHuffmanTable.isFurther) + (peek(16) & 15)]
  }

  /// Takes a DC difference (T.81, F.2.2.1). Returns `nil` if the code is unknown or the difference is too large.
  ///
  /// - Parameter mostBits: the size of the largest valid number: 11 bits in 8-bit pictures, 16 in any picture.
  @inline(__always)
  mutating func difference(
    _ lookup: UnsafePointer<UInt16>, of file: RawSpan, mostBits: Int = 11
  ) -> Int? {
    fill(file)
    let entry = entry(lookup)
    let size = Int(entry & 0xFF)
    guard entry != 0, size <= mostBits else { return nil }
    return Self.number(readBits(size, after: Int(entry >> 8)), size)
  }

  /// Takes a block's AC coefficients (T.81, F.2.2.2).
  ///
  /// - Parameter each: receives the place (in zigzag order), size and bits of each coefficient that is not zero.
  /// - Returns: `false` if a code is not in the table, a number has more than 10 bits, or a run passes the end of the
  ///   block.
  @inline(__always)
  mutating func coefficients(
    _ lookup: UnsafePointer<UInt16>, of file: RawSpan,
    each: (_ place: Int, _ size: Int, _ bits: Int) -> Void
  ) -> Bool {
    var last = 0
    while true {
      fill(file)
      // Two codes with their values take at most 52 bits.
      for _ in 0..<2 {
        let entry = entry(lookup)
        let length = Int(entry >> 8)
        let run = Int(entry >> 4 & 15)
        let size = Int(entry & 15)
        last &+= run &+ 1
        guard size > 0 else {
          guard length > 0, run == 0 || run == 15 else { return false }
          skip(length)
          if run == 0 { return true }
          guard last < 63 else { return last == 63 }
          continue
        }
        guard last < 64, size <= 10 else { return false }
        each(last, size, readBits(size, after: length))
        if last == 63 { return true }
      }
    }
  }

  /// Skips a block's AC coefficients, which may be larger than those of 8-bit pictures.
  ///
  /// - Parameter skips: `JPEGHuffmanTable.skips` of the same table.
  /// - Returns: `false` if a code is not in the table or a run passes the end of the block.
  @inline(__always)
  mutating func skipCoefficients(
    _ lookup: UnsafePointer<UInt16>, _ skips: UnsafePointer<UInt16>, of file: RawSpan
  ) -> Bool {
    var filled = 1
    while true {
      fill(file)
      for _ in 0..<3 {
        let step = Int(skips[peek(JPEGHuffmanTable.lookupBits)])
        let sum = filled &+ step >> 8
        // A step past the last place may contain codes of the next block, or no valid code. Then read one code alone.
        guard sum & 127 < 64 else {
          fill(file)
          let entry = Int(entry(lookup))
          guard entry != 0 else { return false }
          skip(entry >> 8 &+ entry & 15)
          guard !JPEGHuffmanTable.isEnd(entry) else { return true }
          filled &+= entry >> 4 & 15 &+ 1
          guard filled < 64 else { return filled == 64 }
          break
        }
        skip(step & 63)
        if sum >= JPEGHuffmanTable.endOfBlock { return true }
        filled = sum
      }
    }
  }
}
