/// The coefficient tokens of a key frame (RFC 6386, 13): read to be counted, not to be kept.
struct VP8ProofTokens {
  /// As in `VP8Tables.coefficients`.
  private var probabilities = VP8Tables.coefficients
  private var isUpdated = [Bool](repeating: false, count: 1_056)
  /// What decides a token, for each kind of block, position and context: the band of a position need
  /// not be looked up.
  private var sets = [ProbabilitySet](repeating: ProbabilitySet(), count: 4 * 48)
  /// Whether the blocks above have coefficients: 4 of luma, 2 and 2 of chroma, and the block of DCs.
  private var above: [UInt8] = []
  /// Of each macroblock, how many of its 25 blocks have coefficients.
  private(set) var filled: [UInt8] = []

  private struct ProbabilitySet {
    var probabilities = InlineArray<14, UInt8>(repeating: 0)
    /// Which of the eleven decided something.
    var used: UInt16 = 0
  }

  /// The band of each position in zigzag order.
  private static let bands = [0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7]

  mutating func readProbabilities(_ reader: inout VP8ProofReader) {
    for index in probabilities.indices where reader.bool(VP8Tables.coefficientUpdates[index]) {
      probabilities[index] = UInt8(reader.number(8))
      isUpdated[index] = true
    }
    for index in sets.indices {
      for place in 0..<11 {
        sets[index].probabilities[place] = probabilities[Self.banded(index) * 11 + place]
      }
    }
  }

  /// Where the probabilities of a set stand, in sets of eleven.
  private static func banded(_ index: Int) -> Int {
    index / 48 * 24 + bands[index / 3 % 16] * 3 + index % 3
  }

  /// Holds what the header said of a probability to be used by a token.
  func checkProbabilities(offset: Int) throws(ProofFailure) {
    var used = [UInt16](repeating: 0, count: 96)
    for (index, set) in sets.enumerated() { used[Self.banded(index)] |= set.used }
    for index in probabilities.indices where isUpdated[index] {
      guard used[index / 11] >> UInt16(index % 11) & 1 == 1 else {
        throw ProofFailure("webp-vp8-idle-probability", offset: offset)
      }
    }
  }

  mutating func begin(columns: Int) {
    above = [UInt8](repeating: 0, count: columns * 9)
  }

  /// The tokens of a row of macroblocks.
  mutating func readRow(
    _ reader: inout VP8ProofReader, _ row: ArraySlice<(isSplit: Bool, isSkipped: Bool)>
  ) {
    // Some hundred thousand blocks: each array is opened once a row, not once a token, and what the
    // reader remembers stays in registers.
    var bools = reader
    var filled: [UInt8] = []
    filled.reserveCapacity(row.count)
    sets.withUnsafeMutableBufferPointer { sets in
      above.withUnsafeMutableBufferPointer { above in
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 9) { left in
          left.initialize(repeating: 0)
          guard var top = above.baseAddress, let left = left.baseAddress,
            let sets = sets.baseAddress
          else { return }
          for macroblock in row {
            if macroblock.isSkipped {
              for index in 0..<8 { (top[index], left[index]) = (0, 0) }
              if !macroblock.isSplit { (top[8], left[8]) = (0, 0) }
              filled.append(0)
            } else {
              filled.append(Self.read(&bools, macroblock.isSplit, top, left, sets))
            }
            top += 9
          }
        }
      }
    }
    reader = bools
    self.filled += filled
  }

  /// Where a kind of block's sets begin.
  private enum Kind {
    static let lumaWithoutDC = 0
    static let lumaDC = 48
    static let chroma = 96
    static let luma = 144
  }

  /// Reads the blocks of a macroblock; gives how many have coefficients.
  private static func read(
    _ reader: inout VP8ProofReader, _ isSplit: Bool, _ top: UnsafeMutablePointer<UInt8>,
    _ left: UnsafeMutablePointer<UInt8>, _ sets: UnsafeMutablePointer<ProbabilitySet>
  ) -> UInt8 {
    var filled: UInt8 = 0
    if !isSplit {
      let isFilled = block(&reader, sets + Kind.lumaDC, 0, top[8] &+ left[8])
      (top[8], left[8]) = (isFilled, isFilled)
      filled &+= isFilled
    }
    let (kind, first) = isSplit ? (Kind.luma, 0) : (Kind.lumaWithoutDC, 1)
    for y in 0..<4 {
      for x in 0..<4 {
        let isFilled = block(&reader, sets + kind, first, top[x] &+ left[y])
        (top[x], left[y]) = (isFilled, isFilled)
        filled &+= isFilled
      }
    }
    for plane in [4, 6] {
      for y in plane..<plane + 2 {
        for x in plane..<plane + 2 {
          let isFilled = block(&reader, sets + Kind.chroma, 0, top[x] &+ left[y])
          (top[x], left[y]) = (isFilled, isFilled)
          filled &+= isFilled
        }
      }
    }
    return filled
  }

  /// One block's tokens from position `first` on; gives 1 when there is one but its end, else 0.
  ///
  /// - Parameter kind: the sets of position 0.
  @inline(never)
  private static func block(
    _ shared: inout VP8ProofReader, _ kind: UnsafeMutablePointer<ProbabilitySet>, _ first: Int,
    _ context: UInt8
  ) -> UInt8 {
    // In registers while it works.
    var reader = shared
    defer { shared = reader }
    let end = kind + 48
    // The sets of a position, and the one of them that its context takes.
    var position = kind + 3 &* first
    var set = position + Int(context)
    guard reader.bool(set.pointee.probabilities[0]) else {
      set.pointee.used |= 1
      return 0
    }
    while true {
      set.pointee.used |= 1
      while !reader.bool(set.pointee.probabilities[1]) {
        set.pointee.used |= 2
        position += 3
        guard position < end else { return 1 }
        set = position
      }
      position += 3
      var next = position + 1
      if reader.bool(set.pointee.probabilities[2]) {
        set.pointee.used |= 6 | large(&reader, set)
        next = position + 2
      } else {
        set.pointee.used |= 6
      }
      // The sign.
      reader.skipEven()
      guard position < end else { return 1 }
      set = next
      guard reader.bool(set.pointee.probabilities[0]) else {
        set.pointee.used |= 1
        return 1
      }
    }
  }

  /// What is more than one; records which probabilities decided.
  @inline(__always)
  private static func large(
    _ reader: inout VP8ProofReader, _ set: UnsafeMutablePointer<ProbabilitySet>
  ) -> UInt16 {
    guard reader.bool(set.pointee.probabilities[3]) else {
      guard reader.bool(set.pointee.probabilities[4]) else { return 0x18 }
      _ = reader.bool(set.pointee.probabilities[5])
      return 0x38
    }
    guard reader.bool(set.pointee.probabilities[6]) else {
      if reader.bool(set.pointee.probabilities[7]) {
        _ = reader.bool(165)
        _ = reader.bool(145)
      } else {
        _ = reader.bool(159)
      }
      return 0xC8
    }
    let isHigh = reader.bool(set.pointee.probabilities[8])
    let isHigher = reader.bool(set.pointee.probabilities[isHigh ? 10 : 9])
    // Extra bits of categories 3 to 6 (RFC 6386, 13.2), the first one's probability lowest.
    var extra: UInt64 =
      isHigh
      ? isHigher ? 0x8C99_B1C4_E6F3_FEFE : 0x82_868D_9DB4
      : isHigher ? 0x878C_9BB0 : 0x008C_94AD
    while extra > 0 {
      _ = reader.bool(UInt8(truncatingIfNeeded: extra))
      extra &>>= 8
    }
    guard isHigh else { return 0x348 }
    guard isHigher else { return 0x548 }
    // Eleven of them do not fit.
    _ = reader.bool(133)
    _ = reader.bool(130)
    _ = reader.bool(129)
    return 0x548
  }
}
