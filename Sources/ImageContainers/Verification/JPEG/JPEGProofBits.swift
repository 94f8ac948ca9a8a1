/// The bits of a scan as a decoder takes them from the file: stuffed zeros left out, no further than
/// the next marker (T.81, F.2.2.5). After that come zeros, and `isOverrun` is set.
struct JPEGProofBits {
  /// The next byte that is not among `bits`.
  private(set) var position: Int
  /// The next bits, the next of them highest.
  private var bits: UInt64 = 0
  /// How many of them are the file's, or zeros after its marker.
  private var count = 0
  /// How many of those are such zeros.
  private var missing = 0

  init(at position: Int) { self.position = position }

  /// Makes sure that 56 bits can be taken.
  @inline(__always)
  mutating func fill(_ file: RawSpan) {
    if position &+ 8 <= file.byteCount {
      // In bounds by the line above; checking again is a fifth of all the time.
      let word = UInt64(
        bigEndian: unsafe file.unsafeLoadUnaligned(
          fromUncheckedByteOffset: position, as: UInt64.self))
      // No byte of them is 0xFF.
      if (~word &- 0x0101_0101_0101_0101) & word & 0x8080_8080_8080_8080 == 0 {
        bits |= word &>> UInt64(truncatingIfNeeded: count)
        position &+= (63 &- count) >> 3
        count |= 56
        return
      }
    }
    self = filledAroundMarkers(file)
  }

  /// Fills a copy around markers: a call that changes the reader would keep it out of registers.
  @inline(never)
  private func filledAroundMarkers(_ file: RawSpan) -> JPEGProofBits {
    var filled = self
    while filled.count < 56 { filled.fillSome(file) }
    return filled
  }

  /// Takes the bytes up to the next 0xFF, at most as many as there is room for, or that byte.
  @inline(__always)
  private mutating func fillSome(_ file: RawSpan) {
    func byte(_ index: Int) -> UInt8? {
      index < file.byteCount ? file.unsafeLoad(fromByteOffset: index, as: UInt8.self) : nil
    }
    if position + 8 <= file.byteCount {
      let word = file.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
      // The lowest mark is the first 0xFF's; those above it may be wrong.
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
    } else if byte(position) == 0xFF, byte(position + 1) == 0 {
      next = 0xFF
      position += 2
    } else {
      missing += 8
    }
    bits |= UInt64(next) << UInt64(56 - count)
    count += 8
  }

  /// Returns the next `width` bits, which stay; 1 to 32.
  @inline(__always)
  func peek(_ width: Int) -> Int {
    Int(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 64 &- width))
  }

  /// Returns the number (EXTEND) in this many bits, not none, after others, all of which stay.
  @inline(__always)
  func number(_ size: Int, after others: Int) -> Int {
    let rest = bits &<< UInt64(truncatingIfNeeded: others)
    let value = rest &>> UInt64(truncatingIfNeeded: 64 &- size)
    return JPEGProofCodes.number(Int(truncatingIfNeeded: value), size)
  }

  @inline(__always)
  mutating func skip(_ width: Int) {
    bits &<<= UInt64(truncatingIfNeeded: width)
    count &-= width
  }

  /// More bits were taken than there are.
  var isOverrun: Bool { count < missing }

  /// Ends a piece of data: the rest of its last byte is ones, and then there is this marker.
  ///
  /// - Returns: the byte after the marker.
  func end(_ file: [UInt8], marker: UInt8) throws(ProofFailure) -> Int {
    let left = count - missing
    guard left >= 0 else { throw ProofFailure("jpeg-data-short", offset: position) }
    guard left < 8, position + 1 < file.count, file[position] == 0xFF,
      file[position + 1] == marker
    else { throw ProofFailure("jpeg-after-last-code", offset: position) }
    guard left == 0 || peek(left) == 1 << left - 1 else {
      throw ProofFailure("jpeg-padding", offset: position - 1)
    }
    return position + 2
  }
}
