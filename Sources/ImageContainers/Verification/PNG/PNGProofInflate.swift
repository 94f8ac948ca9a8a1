/// Decompresses a zlib stream piece by piece (RFC 1950 and 1951). A proof requires that each bit has a use: no code for
/// a symbol that never occurs, no block without data, zero padding, and the end right after the checksum. Otherwise it
/// accepts what decoders accept, up to the last available symbol.
///
/// Pointers are used because all data of a photo passes here. Each access is in bounds because of the checks next to
/// it.
final class PNGProofInflate {
  /// The output: the window first, then new data.
  private(set) var output: UnsafeMutablePointer<UInt8>
  /// One past the last output byte.
  private(set) var count = 0
  /// `true` if the stream ended correctly.
  private(set) var isAtEnd = false

  private let isProof: Bool
  private let input: UnsafeRawPointer
  private let inputEnd: Int
  private let data: Range<Int>
  private let capacity: Int
  private var position: Int
  /// The bits that were read and not used yet, the next one lowest.
  private var bits: UInt64 = 0
  private var bitCount = 0

  private let windowSize: Int
  private var block = Block.none
  private var isLastBlock = false
  private var wasEmpty = false
  private var adler = PNGProofAdler()
  private var summedUp = 0
  private let literals = PNGProofCode.literals()
  private let distances = PNGProofCode.distances()
  private let codeLengths = PNGProofCode.codeLengths()

  private enum Block {
    case none
    case stored(left: Int)
    case codes(isDynamic: Bool, hasData: Bool)
  }

  /// The maximum output of one symbol, plus the bytes that a copy may write beyond it.
  private static let spareBytes = 258 + 16

  /// - Parameters:
  ///   - bytes: the file. It must stay valid as long as this object is used.
  ///   - data: the range of the stream.
  ///   - piece: the minimum number of bytes that fit after the window.
  ///   - isProof: `true` to reject bits without a use.
  init(
    _ bytes: UnsafeBufferPointer<UInt8>, in data: Range<Int>, piece: Int = 0, isProof: Bool = true
  ) throws(ProofError) {
    guard data.count >= (isProof ? 8 : 6), let base = bytes.baseAddress else {
      throw ProofError("png-zlib", offset: data.lowerBound)
    }
    let method = Int(bytes[data.lowerBound])
    let flags = Int(bytes[data.lowerBound + 1])
    // PNG doesn't allow a preset dictionary (0x20).
    guard method & 15 == 8, method >> 4 <= 7 || !isProof, flags & 0x20 == 0,
      (method << 8 | flags) % 31 == 0
    else { throw ProofError("png-zlib", offset: data.lowerBound) }
    windowSize = isProof ? 256 << (method >> 4) : 32_768
    self.isProof = isProof
    input = UnsafeRawPointer(base)
    inputEnd = bytes.count
    self.data = data
    position = data.lowerBound + 2
    capacity = 32_768 + max(piece, 131_072)
    output = .allocate(capacity: capacity + Self.spareBytes)
  }

  deinit { output.deallocate() }

  private func failure(_ problem: String) -> ProofError {
    ProofError("png-\(problem)", offset: min(position - bitCount / 8, data.upperBound))
  }

  /// Decompresses until the buffer is full or the stream ends. First, data before `consumed` is discarded except for
  /// the window. Returns the number of bytes by which the remaining data moved down.
  func inflate(consumed: Int) throws(ProofError) -> Int {
    let gone = max(0, min(consumed, count - 32_768))
    if gone > 0 {
      UnsafeMutableRawPointer(output).copyMemory(from: output + gone, byteCount: count - gone)
      count -= gone
      summedUp -= gone
    }
    while count < capacity, !isAtEnd {
      switch block {
      case .none: try isLastBlock ? finish() : startBlock()
      case .stored(let left): try copyStored(left)
      case .codes(let isDynamic, let hasData):
        let before = count
        let ended = try readCodes()
        let hasData = hasData || count > before
        block = .codes(isDynamic: isDynamic, hasData: hasData)
        if ended { try endBlock(isDynamic: isDynamic, hasData: hasData) }
      }
    }
    adler.add(UnsafeBufferPointer(start: output + summedUp, count: count - summedUp))
    summedUp = count
    guard !isAtEnd || adler.value == storedChecksum else { throw failure("adler") }
    return gone
  }

  private var storedChecksum: UInt32 {
    (1...4).reduce(0) {
      $0 | UInt32(input.load(fromByteOffset: position + 4 - $1, as: UInt8.self))
        << UInt32(8 * $1 - 8)
    }
  }

  /// Reads ahead until `count` bits are available, or all that are left.
  private func fill(_ count: Int) {
    while bitCount < count, position < data.upperBound {
      bits |= UInt64(input.load(fromByteOffset: position, as: UInt8.self)) << UInt64(bitCount)
      position += 1
      bitCount += 8
    }
  }

  private func readBits(_ count: Int) throws(ProofError) -> Int {
    fill(count)
    guard bitCount >= count else { throw failure("inflate-end") }
    defer {
      bits >>= UInt64(count)
      bitCount -= count
    }
    return Int(bits & (1 << UInt64(count) - 1))
  }

  /// Skips to the next byte. In a proof, the skipped bits must be zero.
  private func align() throws(ProofError) {
    guard try readBits(bitCount % 8) == 0 || !isProof else { throw failure("inflate-padding") }
    position -= bitCount / 8
    bits = 0
    bitCount = 0
  }

  private func startBlock() throws(ProofError) {
    isLastBlock = try readBits(1) == 1
    switch try readBits(2) {
    case 0:
      try align()
      let left = try readBits(16)
      guard try readBits(16) == left ^ 0xFFFF else { throw failure("inflate-stored") }
      try align()
      guard left > 0 else { return try endBlock(isDynamic: false, hasData: false) }
      block = .stored(left: left)
    case 1:
      guard literals.build(PNGProofCode.fixedLiterals), distances.build(PNGProofCode.fixedDistances)
      else { throw failure("inflate-code") }
      block = .codes(isDynamic: false, hasData: false)
    case 2:
      try readDynamicCodes()
      block = .codes(isDynamic: true, hasData: false)
    default: throw failure("inflate-block")
    }
  }

  /// Ends a block. In a proof, a block must have data, with one exception: a stored or fixed block without data can't
  /// hide anything, and a flush writes one. Two of them in a row are rejected.
  private func endBlock(isDynamic: Bool, hasData: Bool) throws(ProofError) {
    guard hasData || !isDynamic && (!wasEmpty || isLastBlock) || !isProof else {
      throw failure("inflate-empty-block")
    }
    if isDynamic, isProof {
      guard literals.usesEveryCode, distances.usesEveryCodeOrIsStandard else {
        throw failure("inflate-unused-code")
      }
    }
    wasEmpty = !hasData
    block = .none
  }

  /// Checks the end of the last block: padding and checksum, and no further data.
  private func finish() throws(ProofError) {
    try align()
    let end = data.upperBound - 4
    guard position == end || position < end && !isProof else { throw failure("unread-data") }
    isAtEnd = true
  }

  private func copyStored(_ left: Int) throws(ProofError) {
    let part = min(left, capacity - count, data.upperBound - position)
    UnsafeMutableRawPointer(output + count).copyMemory(from: input + position, byteCount: part)
    count += part
    position += part
    guard part == left || count == capacity else { throw failure("inflate-end") }
    block = .stored(left: left - part)
    if part == left { try endBlock(isDynamic: false, hasData: true) }
  }

  private func readDynamicCodes() throws(ProofError) {
    let literalCount = try readBits(5) + 257
    let distanceCount = try readBits(5) + 1
    guard literalCount <= 286, distanceCount <= 30 else { throw failure("inflate-code") }
    var lengths = [UInt8](repeating: 0, count: 19)
    let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    for symbol in order.prefix(try readBits(4) + 4) { lengths[symbol] = UInt8(try readBits(3)) }
    guard codeLengths.build(lengths[...]) else { throw failure("inflate-code") }

    lengths = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try readCodeLength()
      switch symbol {
      case 16:
        guard let last = lengths.last else { throw failure("inflate-code") }
        lengths += repeatElement(last, count: try readBits(2) + 3)
      case 17: lengths += repeatElement(0, count: try readBits(3) + 3)
      case 18: lengths += repeatElement(0, count: try readBits(7) + 11)
      default: lengths.append(UInt8(symbol))
      }
    }
    guard codeLengths.usesEveryCode || !isProof else { throw failure("inflate-unused-code") }
    // If all symbols are literals, the distance code has no symbols. It may also have a single one.
    guard lengths.count == literalCount + distanceCount,
      literals.build(lengths[..<literalCount], mayBeSingle: !isProof),
      distances.build(lengths[literalCount...], mayBeSingle: true)
    else { throw failure("inflate-code") }
  }

  private func readCodeLength() throws(ProofError) -> Int {
    // The index can extend past the available bits only in a broken stream.
    fill(7)
    let entry = codeLengths.entries[Int(bits & 0x7F)]
    guard entry != 0, bitCount >= Int(entry & 31) else { throw failure("inflate-end") }
    bits >>= UInt64(entry & 31)
    bitCount -= Int(entry & 31)
    codeLengths.used[Int(entry >> 17)] = 1
    return Int(entry >> 17)
  }

  /// Reads symbols. Returns `true` at the end of the block and `false` if the buffer is full.
  private func readCodes() throws(ProofError) -> Bool {
    // Local copies stay in registers.
    let input = input
    let inputEnd = inputEnd
    // A proof detects an overrun at the end of the stream.
    let dataEnd = isProof ? Int.max : data.upperBound
    let output = output
    let literals = literals.entries
    let distances = distances.entries
    let usedLiterals = self.literals.used
    let usedDistances = self.distances.used
    var bits = bits
    var bitCount = bitCount
    var position = position
    var count = count
    defer {
      self.bits = bits
      self.bitCount = bitCount
      self.position = position
      self.count = count
    }

    /// Makes at least 56 bits available. After the end of the file, they are zero, which is detected at the end of the
    /// stream.
    @inline(__always) func refill() {
      if position <= inputEnd - 8 {
        bits |=
          UInt64(
            littleEndian: input.loadUnaligned(fromByteOffset: position, as: UInt64.self))
          &<< UInt64(truncatingIfNeeded: bitCount)
        position &+= (63 &- bitCount) &>> 3
        bitCount |= 56
      } else {
        while bitCount < 56 {
          if position < inputEnd {
            bits |=
              UInt64(input.load(fromByteOffset: position, as: UInt8.self))
              &<< UInt64(truncatingIfNeeded: bitCount)
          }
          position &+= 1
          bitCount &+= 8
        }
      }
    }
    /// Returns `true` if bits after the end of the data were used.
    @inline(__always) func isOverrun() -> Bool {
      position > dataEnd && position &* 8 &- bitCount > dataEnd &* 8
    }
    @inline(__always) func consume(_ length: UInt32) {
      bits &>>= UInt64(length)
      bitCount &-= Int(length)
    }

    while count < capacity {
      refill()
      var entry = literals[Int(truncatingIfNeeded: bits & 0x7FF)]
      // At most two more literals of 15 bits fit before the next refill.
      var more = position > dataEnd ? 0 : 2
      while entry & PNGProofCode.isLiteral != 0, more > 0 {
        consume(entry & 31)
        usedLiterals[Int(entry &>> 17)] = 1
        output[count] = UInt8(truncatingIfNeeded: entry &>> 17)
        count &+= 1
        more &-= 1
        entry = literals[Int(truncatingIfNeeded: bits & 0x7FF)]
      }
      if entry & PNGProofCode.isLink != 0 {
        let width = UInt64(entry &>> 8 & 15)
        entry =
          literals[
            Int(entry &>> 17)
              &+ Int(truncatingIfNeeded: bits &>> 11 & (1 &<< width &- 1))]
      }
      if entry & PNGProofCode.isLiteral != 0 {
        consume(entry & 31)
        if isOverrun() { throw failure("inflate-end") }
        usedLiterals[Int(entry &>> 17)] = 1
        output[count] = UInt8(truncatingIfNeeded: entry &>> 17)
        count &+= 1
        continue
      }
      guard entry != 0 else { throw failure("inflate-code") }
      consume(entry & 31)
      if entry & PNGProofCode.isEnd != 0 {
        usedLiterals[256] = 1
        // Returns whole bytes that were read ahead.
        position -= bitCount / 8
        bitCount %= 8
        bits &= 1 << UInt64(bitCount) - 1
        guard position <= data.upperBound - 4 else { throw failure("inflate-end") }
        return true
      }
      usedLiterals[257 &+ Int(entry &>> 12 & 31)] = 1
      let lengthExtra = UInt64(entry &>> 8 & 15)
      let length = Int(entry &>> 17) &+ Int(truncatingIfNeeded: bits & (1 &<< lengthExtra &- 1))
      consume(UInt32(truncatingIfNeeded: lengthExtra))

      if bitCount < 28 { refill() }
      var far = distances[Int(truncatingIfNeeded: bits & 0x1FF)]
      if far & PNGProofCode.isLink != 0 {
        let width = UInt64(far &>> 8 & 15)
        far =
          distances[
            Int(far &>> 17) &+ Int(truncatingIfNeeded: bits &>> 9 & (1 &<< width &- 1))]
      }
      guard far != 0 else { throw failure("inflate-code") }
      consume(far & 31)
      usedDistances[Int(far &>> 12 & 31)] = 1
      let farExtra = UInt64(far &>> 8 & 15)
      let distance = Int(far &>> 17) &+ Int(truncatingIfNeeded: bits & (1 &<< farExtra &- 1))
      consume(UInt32(truncatingIfNeeded: farExtra))
      guard distance <= count, distance <= windowSize, !isOverrun() else {
        throw failure("inflate-distance")
      }

      Self.repeatBytes(length, from: distance, before: output + count)
      count &+= length
    }
    return false
  }

  /// Copies `length` bytes from `distance` bytes before, which may overlap with the copy itself. Up to seven more bytes
  /// are overwritten.
  @inline(__always)
  static func repeatBytes(
    _ length: Int, from distance: Int, before end: UnsafeMutablePointer<UInt8>
  ) {
    let from = UnsafePointer(end) - distance
    if distance >= 8 {
      // Copies eight bytes at a time.
      var done = 0
      repeat {
        UnsafeMutableRawPointer(end).storeBytes(
          of: UnsafeRawPointer(from).loadUnaligned(fromByteOffset: done, as: UInt64.self),
          toByteOffset: done, as: UInt64.self)
        done &+= 8
      } while done < length
    } else if distance == 1 {
      end.update(repeating: from[0], count: length)
    } else {
      for index in 0..<length { end[index] = from[index] }
    }
  }
}
