/// Reads the blocks of a piece of arithmetic-coded data (T.81, D.2, F.2.4 and G.2.3) without keeping coefficients.
struct JPEGArithmeticReader {
  private let file: [UInt8]
  /// The values of DAC segments that control how estimates adapt, by class << 4 | number of the table.
  private let conditioning: [Int: Int]
  /// The probability estimate and the more likely value of each decision. Each DC table has 64 states, and each AC
  /// table 256. One more state never changes.
  private var states = [UInt8](repeating: 0, count: Self.fixed + 1)
  /// The context that each component's previous DC difference selects.
  private var contexts: InlineArray<4, Int> = [0, 0, 0, 0]
  private var interval = 0
  private var code = 0
  /// The number of bits of `code` that aren't in the interval yet. Negative until the first bytes are read.
  private var count = -16

  private static let startAC = 16 * 64
  private static let fixed = startAC + 16 * 256

  init(_ file: [UInt8], _ conditioning: [Int: Int]) {
    self.file = file
    self.conditioning = conditioning
    states[Self.fixed] = 113
  }

  /// Decodes one decision (T.81, D.2.4).
  private mutating func decide(_ place: Int, _ reader: inout JPEGBits) -> Bool {
    while interval < 0x8000 {
      count -= 1
      if count < 0 {
        reader.fill(file.span.bytes)
        code = code << 8 | reader.readBits(8)
        count += 8
        if count < 0 {
          count += 1
          if count == 0 { interval = 0x8000 }
        }
      }
      interval <<= 1
    }
    let state = states[place]
    let entry = Self.estimates[Int(state & 0x7F)]
    let estimate = Int(entry >> 16)
    interval -= estimate
    let isLikely: Bool
    if code >= interval << count {
      code -= interval << count
      isLikely = interval < estimate
      interval = estimate
    } else {
      guard interval < 0x8000 else { return state >= 0x80 }
      isLikely = interval >= estimate
    }
    states[place] =
      state & 0x80 ^ UInt8(truncatingIfNeeded: isLikely ? entry >> 8 : entry)
    return (state >= 0x80) == isLikely
  }

  /// Reads a bit of which both values are equally likely.
  mutating func readBit(_ reader: inout JPEGBits) { _ = decide(Self.fixed, &reader) }

  /// Reads the rest of a number, first its size, whose decisions begin at `place`, and then its bits.
  ///
  /// - Returns: the number's highest bit, or `nil` if it is larger than numbers can be.
  private mutating func magnitude(from place: Int, _ reader: inout JPEGBits, _ size: Int)
    -> Int?
  {
    var place = place
    var size = size
    while decide(place, &reader) {
      size <<= 1
      place += 1
      guard size < 0x8000 else { return nil }
    }
    var bit = size >> 1
    while bit > 0 {
      _ = decide(place + 14, &reader)
      bit >>= 1
    }
    return size
  }

  /// Reads a DC difference (T.81, F.1.4.4.1). Returns `false` if it is too large.
  mutating func readDifference(
    of component: Int, table: Int, _ reader: inout JPEGBits
  ) -> Bool {
    let start = table * 64
    let place = start + contexts[component]
    guard decide(place, &reader) else {
      contexts[component] = 0
      return true
    }
    let sign = decide(place + 1, &reader) ? 1 : 0
    var size = 0
    if decide(place + 2 + sign, &reader) {
      guard let found = magnitude(from: start + 20, &reader, 1) else { return false }
      size = found
    }
    let bounds = conditioning[table] ?? 0x10
    let small = (1 << (bounds & 15)) >> 1
    let large = (1 << (bounds >> 4)) >> 1
    contexts[component] = size < small ? 0 : (size > large ? 12 : 4) + 4 * sign
    return true
  }

  /// Reads AC coefficients (T.81, F.1.4.4.2 and G.1.3.2).
  ///
  /// - Parameters:
  ///   - band: the places of a block that are read, in zigzag order.
  ///   - filled: gets a bit for each coefficient that is not zero.
  /// - Returns: `false` if a coefficient lies outside of the band or is too large.
  mutating func readAC(
    _ band: ClosedRange<Int>, table: Int, _ reader: inout JPEGBits, _ filled: inout UInt64
  ) -> Bool {
    let start = Self.startAC + table * 256
    var next = band.lowerBound
    while next <= band.upperBound, !decide(start + 3 * (next - 1), &reader) {
      while !decide(start + 3 * (next - 1) + 1, &reader) {
        next += 1
        guard next <= band.upperBound else { return false }
      }
      readBit(&reader)
      let place = start + 3 * (next - 1) + 2
      if decide(place, &reader), decide(place, &reader) {
        let more = next <= conditioning[0x10 | table] ?? 5 ? 189 : 217
        guard magnitude(from: start + more, &reader, 2) != nil else { return false }
      }
      filled |= 1 << UInt64(next)
      next += 1
    }
    return true
  }

  /// Reads one more bit of each known coefficient, and the first bit of new ones (T.81, G.1.3.3). Returns `false` if a
  /// coefficient lies outside of the band.
  mutating func refineAC(
    _ band: ClosedRange<Int>, table: Int, _ reader: inout JPEGBits, _ filled: inout UInt64
  ) -> Bool {
    let start = Self.startAC + table * 256
    let old = filled
    let last = 63 - (old & (2 << UInt64(band.upperBound) &- 1) & ~1).leadingZeroBitCount
    var next = band.lowerBound
    while next <= band.upperBound {
      if next > last, decide(start + 3 * (next - 1), &reader) { return true }
      while true {
        let place = start + 3 * (next - 1)
        if old >> UInt64(next) & 1 == 1 {
          _ = decide(place + 2, &reader)
          break
        }
        if decide(place + 1, &reader) {
          readBit(&reader)
          filled |= 1 << UInt64(next)
          break
        }
        next += 1
        guard next <= band.upperBound else { return false }
      }
      next += 1
    }
    return true
  }

  /// T.81, table D.3: Qe << 16 | next index after the more likely value << 8 | switch << 7 | next index after the less
  /// likely value. The last entry is for bits with equally likely values, and leads to itself.
  private static let estimates: [UInt32] = [
    0x5A1D_0181, 0x2586_020E, 0x1114_0310, 0x080B_0412, 0x03D8_0514, 0x01DA_0617, 0x00E5_0719,
    0x006F_081C, 0x0036_091E, 0x001A_0A21, 0x000D_0B23, 0x0006_0C09, 0x0003_0D0A, 0x0001_0D0C,
    0x5A7F_0F8F, 0x3F25_1024, 0x2CF2_1126, 0x207C_1227, 0x17B9_1328, 0x1182_142A, 0x0CEF_152B,
    0x09A1_162D, 0x072F_172E, 0x055C_1830, 0x0406_1931, 0x0303_1A33, 0x0240_1B34, 0x01B1_1C36,
    0x0144_1D38, 0x00F5_1E39, 0x00B7_1F3B, 0x008A_203C, 0x0068_213E, 0x004E_223F, 0x003B_2320,
    0x002C_0921, 0x5AE1_25A5, 0x484C_2640, 0x3A0D_2741, 0x2EF1_2843, 0x261F_2944, 0x1F33_2A45,
    0x19A8_2B46, 0x1518_2C48, 0x1177_2D49, 0x0E74_2E4A, 0x0BFB_2F4B, 0x09F8_304D, 0x0861_314E,
    0x0706_324F, 0x05CD_3330, 0x04DE_3432, 0x040F_3532, 0x0363_3633, 0x02D4_3734, 0x025C_3835,
    0x01F8_3936, 0x01A4_3A37, 0x0160_3B38, 0x0125_3C39, 0x00F6_3D3A, 0x00CB_3E3B, 0x00AB_3F3D,
    0x008F_203D, 0x5B12_41C1, 0x4D04_4250, 0x412C_4351, 0x37D8_4452, 0x2FE8_4553, 0x293C_4654,
    0x2379_4756, 0x1EDF_4857, 0x1AA9_4957, 0x174E_4A48, 0x1424_4B48, 0x119C_4C4A, 0x0F6B_4D4A,
    0x0D51_4E4B, 0x0BB6_4F4D, 0x0A40_304D, 0x5832_51D0, 0x4D1C_5258, 0x438E_5359, 0x3BDD_545A,
    0x34EE_555B, 0x2EAE_565C, 0x299A_575D, 0x2516_4756, 0x5570_59D8, 0x4CA9_5A5F, 0x44D9_5B60,
    0x3E22_5C61, 0x3824_5D63, 0x32B4_5E63, 0x2E17_565D, 0x56A8_60DF, 0x4F46_6165, 0x47E5_6266,
    0x41CF_6367, 0x3C3D_6468, 0x375E_5D63, 0x5231_6669, 0x4C0F_676A, 0x4639_686B, 0x415E_6367,
    0x5627_6AE9, 0x50E7_6B6C, 0x4B85_676D, 0x5597_6D6E, 0x504F_6B6F, 0x5A10_6FEE, 0x5522_6D70,
    0x59EB_6FF0, 0x5A1D_7171,
  ]
}
