/// Reads the coefficient tokens of a key frame (RFC 6386, 13) and records the probabilities that they use.
struct VP8ProofTokens {
  /// In the order of `VP8Tables.coefficients`.
  private var probabilities = VP8Tables.coefficients
  private var isUpdated = [Bool](repeating: false, count: 1_056)
  /// The probabilities of a token by kind of block, position and context. They are duplicated for each position, so
  /// that its band need not be looked up.
  private var sets = [ProbabilitySet](repeating: ProbabilitySet(), count: 4 * 48)
  /// 1 if the block above has coefficients, otherwise 0: 4 for luma, 2 and 2 for chroma, and one for the block of DCs.
  private var above: [UInt8] = []
  /// For each macroblock, the number of its 25 blocks that have coefficients.
  private(set) var filled: [UInt8] = []
  /// The header data of a macroblock.
  struct Macroblock {
    var isSplit: Bool
    var isSkipped: Bool
    var segment: UInt8
    var modes: VP8ProofPixels.Modes
  }

  private struct ProbabilitySet {
    var probabilities = InlineArray<14, UInt8>(repeating: 0)
    /// A bit for each of the eleven probabilities that were used.
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

  /// Returns the index of a set's probabilities, counted in sets of eleven.
  private static func banded(_ index: Int) -> Int {
    index / 48 * 24 + bands[index / 3 % 16] * 3 + index % 3
  }

  /// Throws if the header updates a probability that no token uses.
  func checkProbabilities(offset: Int) throws(ProofError) {
    var used = [UInt16](repeating: 0, count: 96)
    for (index, set) in sets.enumerated() { used[Self.banded(index)] |= set.used }
    for index in probabilities.indices where isUpdated[index] {
      guard used[index / 11] >> UInt16(index % 11) & 1 == 1 else {
        throw ProofError("webp-vp8-idle-probability", offset: offset)
      }
    }
  }

  mutating func begin(columns: Int) {
    above = [UInt8](repeating: 0, count: columns * 9)
  }

  /// Reads the tokens of a row of macroblocks. `pixels` reconstructs their samples.
  mutating func readRow(
    _ reader: inout VP8ProofReader, _ row: ArraySlice<Macroblock>, _ pixels: VP8ProofPixels,
    _ steps: [VP8ProofSteps]
  ) {
    // There are hundreds of thousands of blocks, so each array is accessed once per row instead of once per token, and
    // the state of the reader stays in registers.
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
          for (column, macroblock) in row.enumerated() {
            if macroblock.isSkipped {
              for index in 0..<8 {
                top[index] = 0
                left[index] = 0
              }
              if !macroblock.isSplit {
                top[8] = 0
                left[8] = 0
              }
              filled.append(0)
            } else {
              filled.append(
                Self.readBlocks(&bools, macroblock.isSplit, top, left, sets, pixels.coefficients))
            }
            pixels.add(
              column: column, isSplit: macroblock.isSplit, modes: macroblock.modes,
              isFilled: filled[column] > 0, steps: steps[Int(macroblock.segment)])
            top += 9
          }
        }
      }
    }
    reader = bools
    self.filled += filled
  }

  /// The first set of each kind of block.
  private enum Kind {
    static let lumaWithoutDC = 0
    static let lumaDC = 48
    static let chroma = 96
    static let luma = 144
  }

  /// Reads the blocks of a macroblock. Returns the number of blocks with coefficients.
  private static func readBlocks(
    _ reader: inout VP8ProofReader, _ isSplit: Bool, _ top: UnsafeMutablePointer<UInt8>,
    _ left: UnsafeMutablePointer<UInt8>, _ sets: UnsafeMutablePointer<ProbabilitySet>,
    _ values: UnsafeMutablePointer<Int16>
  ) -> UInt8 {
    var values = values
    var filled: UInt8 = 0
    if !isSplit {
      let isFilled = block(
        &reader, sets + Kind.lumaDC, 0, top[8] &+ left[8], values + 24 &* 16)
      top[8] = isFilled
      left[8] = isFilled
      filled &+= isFilled
    }
    let (kind, first) = isSplit ? (Kind.luma, 0) : (Kind.lumaWithoutDC, 1)
    for y in 0..<4 {
      for x in 0..<4 {
        let isFilled = block(&reader, sets + kind, first, top[x] &+ left[y], values)
        values += 16
        top[x] = isFilled
        left[y] = isFilled
        filled &+= isFilled
      }
    }
    for plane in [4, 6] {
      for y in plane..<plane + 2 {
        for x in plane..<plane + 2 {
          let isFilled = block(&reader, sets + Kind.chroma, 0, top[x] &+ left[y], values)
          values += 16
          top[x] = isFilled
          left[y] = isFilled
          filled &+= isFilled
        }
      }
    }
    return filled
  }

  /// Reads the tokens of a block from position `first` on. Returns 0 if the first one is the end of the block,
  /// otherwise 1.
  ///
  /// - Parameters:
  ///   - kind: the sets of position 0.
  ///   - values: receives the coefficients in row order.
  @inline(never)
  private static func block(
    _ shared: inout VP8ProofReader, _ kind: UnsafeMutablePointer<ProbabilitySet>, _ first: Int,
    _ context: UInt8, _ values: UnsafeMutablePointer<Int16>
  ) -> UInt8 {
    // A local copy stays in registers.
    var reader = shared
    defer { shared = reader }
    let end = kind + 48
    let places = Self.places.span
    var place = first
    // The sets of a position, and the set for the current context.
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
        place &+= 1
        guard position < end else { return 1 }
        set = position
      }
      position += 3
      var value: Int16 = 1
      var next = position + 1
      if reader.bool(set.pointee.probabilities[2]) {
        let (used, large) = large(&reader, set)
        set.pointee.used |= 6 | used
        value = large
        next = position + 2
      } else {
        set.pointee.used |= 6
      }
      // The sign follows. The access is in bounds because the loop ends after 16 positions.
      values[Int(unsafe places[unchecked: place])] = reader.evenBool() ? 0 &- value : value
      place &+= 1
      guard position < end else { return 1 }
      set = next
      guard reader.bool(set.pointee.probabilities[0]) else {
        set.pointee.used |= 1
        return 1
      }
    }
  }

  /// The index in row order of each position in zigzag order.
  private static let places: InlineArray<16, UInt8> = [
    0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15,
  ]

  /// Reads a number above one. Also returns the probabilities that it used.
  @inline(__always)
  private static func large(
    _ reader: inout VP8ProofReader, _ set: UnsafeMutablePointer<ProbabilitySet>
  ) -> (used: UInt16, value: Int16) {
    func bit(_ probability: UInt8) -> Int16 { reader.bool(probability) ? 1 : 0 }
    guard reader.bool(set.pointee.probabilities[3]) else {
      guard reader.bool(set.pointee.probabilities[4]) else { return (0x18, 2) }
      return (0x38, 3 &+ bit(set.pointee.probabilities[5]))
    }
    guard reader.bool(set.pointee.probabilities[6]) else {
      guard reader.bool(set.pointee.probabilities[7]) else { return (0xC8, 5 &+ bit(159)) }
      let high = bit(165)
      return (0xC8, 7 &+ 2 &* high &+ bit(145))
    }
    let isHigh = reader.bool(set.pointee.probabilities[8])
    let isHigher = reader.bool(set.pointee.probabilities[isHigh ? 10 : 9])
    // The extra bits of categories 3 to 6 (RFC 6386, 13.2), the first probability in the lowest byte.
    var extra: UInt64 =
      isHigh
      ? isHigher ? 0x8C99_B1C4_E6F3_FEFE : 0x82_868D_9DB4
      : isHigher ? 0x878C_9BB0 : 0x008C_94AD
    var value: Int16 = 0
    while extra > 0 {
      value = value &<< 1 | bit(UInt8(truncatingIfNeeded: extra))
      extra &>>= 8
    }
    guard isHigh else { return (0x348, value &+ (isHigher ? 19 : 11)) }
    guard isHigher else { return (0x548, value &+ 35) }
    // The eleven extra bits of category 6 don't fit into the number above.
    for probability: UInt8 in [133, 130, 129] { value = value &<< 1 | bit(probability) }
    return (0x548, value &+ 67)
  }
}
