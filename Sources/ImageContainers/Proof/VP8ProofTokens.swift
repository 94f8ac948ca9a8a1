/// The coefficient tokens of a key frame (RFC 6386, 13): read to be counted, not to be kept.
struct VP8ProofTokens {
  /// As in `VP8Tables.coefficients`.
  private var probabilities = VP8Tables.coefficients
  private var isUpdated = [Bool](repeating: false, count: 1_056)
  /// Of each kind, band and context: which of the eleven probabilities decided something.
  private var used = [UInt16](repeating: 0, count: 96)
  /// Whether the blocks above have coefficients: 4 of luma, 2 and 2 of chroma, and the block of DCs.
  private var above: [UInt8] = []

  mutating func readProbabilities(_ reader: inout VP8ProofReader) {
    for index in probabilities.indices where reader.bool(VP8Tables.coefficientUpdates[index]) {
      probabilities[index] = UInt8(reader.number(8))
      isUpdated[index] = true
    }
  }

  /// Holds what the header said of a probability to be used by a token.
  func checkProbabilities(offset: Int) throws(ProofFailure) {
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
    // Some hundred thousand blocks: each array is opened once a row, not once a token.
    var bools = reader
    probabilities.withUnsafeBufferPointer { probabilities in
      used.withUnsafeMutableBufferPointer { used in
        above.withUnsafeMutableBufferPointer { above in
          withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 9) { left in
            left.initialize(repeating: 0)
            guard var top = above.baseAddress, let left = left.baseAddress,
              let table = probabilities.baseAddress, let marks = used.baseAddress
            else { return }
            for macroblock in row {
              if macroblock.isSkipped {
                for index in 0..<8 { (top[index], left[index]) = (0, 0) }
                if !macroblock.isSplit { (top[8], left[8]) = (0, 0) }
              } else {
                Self.read(&bools, macroblock.isSplit, top, left, table, marks)
              }
              top += 9
            }
          }
        }
      }
    }
    reader = bools
  }

  /// Where a kind of block's probabilities begin, in sets of eleven.
  private enum Kind {
    static let lumaWithoutDC = 0
    static let lumaDC = 24
    static let chroma = 48
    static let luma = 72
  }

  private static func read(
    _ reader: inout VP8ProofReader, _ isSplit: Bool, _ top: UnsafeMutablePointer<UInt8>,
    _ left: UnsafeMutablePointer<UInt8>, _ table: UnsafePointer<UInt8>,
    _ used: UnsafeMutablePointer<UInt16>
  ) {
    if !isSplit {
      let end = block(&reader, Kind.lumaDC, Int(top[8] + left[8]), 0, table, used)
      (top[8], left[8]) = end > 0 ? (1, 1) : (0, 0)
    }
    let (kind, first) = isSplit ? (Kind.luma, 0) : (Kind.lumaWithoutDC, 1)
    for y in 0..<4 {
      for x in 0..<4 {
        let end = block(&reader, kind, Int(top[x] + left[y]), first, table, used)
        (top[x], left[y]) = end > first ? (1, 1) : (0, 0)
      }
    }
    for plane in [4, 6] {
      for y in plane..<plane + 2 {
        for x in plane..<plane + 2 {
          let end = block(&reader, Kind.chroma, Int(top[x] + left[y]), 0, table, used)
          (top[x], left[y]) = end > 0 ? (1, 1) : (0, 0)
        }
      }
    }
  }

  /// The band of a position in zigzag order.
  @inline(__always)
  private static func band(_ position: Int) -> Int {
    // Four bits a position: 0 1 2 3 6 4 5 6 6 6 6 6 6 6 6 7.
    Int(truncatingIfNeeded: 0x7666_6666_6546_3210 as UInt64 &>> UInt64(position &* 4)) & 15
  }

  /// One block's tokens from position `first` on; gives the position behind the last one.
  @inline(never)
  private static func block(
    _ shared: inout VP8ProofReader, _ kind: Int, _ context: Int, _ first: Int,
    _ table: UnsafePointer<UInt8>, _ used: UnsafeMutablePointer<UInt16>
  ) -> Int {
    // In registers while it works.
    var reader = shared
    defer { shared = reader }
    var position = first
    var set = kind &+ band(position) &* 3 &+ context
    while position < 16 {
      var p = table + set &* 11
      guard reader.bool(p[0]) else {
        used[set] |= 1
        return position
      }
      used[set] |= 1
      while !reader.bool(p[1]) {
        used[set] |= 2
        position &+= 1
        guard position < 16 else { return 16 }
        set = kind &+ band(position) &* 3
        p = table + set &* 11
      }
      var next = 1
      if reader.bool(p[2]) {
        used[set] |= large(&reader, p)
        next = 2
      }
      used[set] |= 6
      _ = reader.bool(128)
      position &+= 1
      set = kind &+ band(position & 15) &* 3 &+ next
    }
    return 16
  }

  /// What is more than one; tells which probabilities decided.
  @inline(__always)
  private static func large(
    _ reader: inout VP8ProofReader, _ p: UnsafePointer<UInt8>
  ) -> UInt16 {
    guard reader.bool(p[3]) else {
      guard reader.bool(p[4]) else { return 0x18 }
      _ = reader.bool(p[5])
      return 0x38
    }
    guard reader.bool(p[6]) else {
      if reader.bool(p[7]) {
        _ = reader.bool(165)
        _ = reader.bool(145)
      } else {
        _ = reader.bool(159)
      }
      return 0xC8
    }
    let isHigh = reader.bool(p[8])
    let isHigher = reader.bool(p[isHigh ? 10 : 9])
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
