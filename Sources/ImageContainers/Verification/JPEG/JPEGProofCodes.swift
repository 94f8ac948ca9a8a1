/// Lookup tables that decode the next bits of a scan, for all of its Huffman tables.
///
/// The index is the next `width` bits. An entry holds the results of up to two codes.
struct JPEGProofCodes {
  /// The number of bits that one lookup reads.
  static let width = 11
  /// The number of entries for each Huffman table.
  static let size = 1 << width

  /// The effect of one AC code, or of two (T.81, F.2.2.2).
  struct Step {
    /// The fields, from the lowest byte to the highest:
    /// - `bits`: the number of bits in the codes and their values, at most `maxBits`;
    /// - `filled`: the number of places that they fill, plus `endOfBlock` if the block ends;
    /// - `reach` (two bytes): the largest sum that the magnitudes of their coefficients may have;
    /// - `second`: the symbol of the second code, or of the first if there is only one;
    /// - `first`: the symbol of the first code;
    /// - `beforeSecond`: the number of bits before the second code's value, 0 without a value;
    /// - `beforeFirst`: the number of bits before the first code's value, 0 without a value or in `single`.
    fileprivate(set) var word: UInt64
    @inline(__always) var bits: Int { Int(truncatingIfNeeded: word & 63) }
    @inline(__always) var filled: Int { Int(truncatingIfNeeded: word >> 8 & 0xFF) }
    @inline(__always) var reach: Int { Int(truncatingIfNeeded: word >> 16 & 0xFFFF) }
    @inline(__always) var second: Int { Int(truncatingIfNeeded: word >> 32 & 0xFF) }
    @inline(__always) var first: Int { Int(truncatingIfNeeded: word >> 40 & 0xFF) }
    @inline(__always) var beforeSecond: Int { Int(truncatingIfNeeded: word >> 48 & 0xFF) }
    @inline(__always) var beforeFirst: Int { Int(truncatingIfNeeded: word >> 56) }
    /// `true` if the first code has a value.
    @inline(__always) var hasFirst: Bool { first & 15 != 0 }

    /// Returns the step of a value of this size whose code was read before. It only has a first value.
    @inline(__always) static func single(_ size: Int) -> Step { Step(word: UInt64(size) << 40) }
  }

  /// The entries of the DC tables: difference << 16 | value bits that are still to be read << 12 | symbol << 6 | bits
  /// to skip. These include the value if the lookup holds all of it. 0 if the code is longer than `width`.
  private(set) var differences: [Int32] = []
  /// The entries of the AC tables, `none` if the code is longer than `width`.
  private(set) var steps: [Step] = []
  /// For each step, a bit for each place that gets a coefficient other than zero. The lowest bit is the first place.
  private(set) var places: [UInt32] = []
  private let tables: [JPEGProofHuffman]

  /// The maximum for a step, so that three steps fit in the 56 bits that `JPEGBits.fill` provides.
  private static let maxBits = 18
  /// The flag in `Step.filled` that the block ends.
  private static let endOfBlock = 128
  /// The number of places at the end of a step that include both of its coefficients. The largest bound of these places
  /// holds for both.
  static let nearby = 4
  /// The entry for longer codes. It fills 64 places, so that readers of it take the slow path.
  private static let none = Step(word: 64 << 8)

  init(_ tables: [JPEGProofHuffman]) {
    self.tables = tables
    for table in tables {
      if table.isDC {
        differences += Self.differences(table.table)
      } else if let index = Self.standard.firstIndex(where: { $0.table == table.table }) {
        steps += Self.standard[index].steps
        places += Self.standard[index].places
      } else {
        let (_, steps, places) = Self.steps(table.table)
        self.steps += steps
        self.places += places
      }
    }
  }

  /// Returns the index of a table's first entry in `differences` or `steps`.
  func start(of index: Int) -> Int {
    tables[..<index].count { $0.isDC == tables[index].isDC } * Self.size
  }

  /// Marks the symbols of an AC table's steps that the data uses.
  ///
  /// - Parameter taken: For each step, 1 if the data uses it, otherwise 0.
  func mark(_ index: Int, taken: [UInt8], in symbols: inout [Bool]) {
    for step in start(of: index)..<start(of: index) + Self.size where taken[step] != 0 {
      symbols[steps[step].first] = true
      symbols[steps[step].second] = true
    }
  }

  /// Returns the first code for each value of the next `width` bits, as length << 8 | symbol, or 0 if the code is
  /// longer.
  private static func codes(_ table: JPEGHuffmanTable) -> [Int] {
    (0..<size).map { look in
      let entry = Int(table.entry(look << (16 - width)))
      return entry >> 8 <= width ? entry : 0
    }
  }

  /// Returns the entries of a DC table.
  private static func differences(_ table: JPEGHuffmanTable) -> [Int32] {
    codes(table).enumerated().map { bits, code in
      let length = code >> 8
      let size = code & 0xFF
      guard length > 0, size <= 11 else { return 0 }
      let entry = Int32(size << 6)
      let left = width - length - size
      guard left >= 0 else { return Int32(size) << 12 | entry | Int32(length) }
      let value = JPEGBits.number(bits >> left & (1 << size - 1), size)
      return Int32(value) << 16 | entry | Int32(length + size)
    }
  }

  /// The entries of the two typical AC tables, cached because most pictures have these.
  private static let standard = [true, false].map {
    steps(.typical(forDC: false, isLuma: $0))
  }

  /// Returns the entries of an AC table.
  private static func steps(
    _ table: JPEGHuffmanTable
  ) -> (table: JPEGHuffmanTable, steps: [Step], places: [UInt32]) {
    let codes = codes(table)
    var steps = [Step](repeating: none, count: size)
    var places = [UInt32](repeating: 0, count: size)
    for look in 0..<size { steps[look] = step(look, codes, &places[look]) }
    return (table, steps, places)
  }

  /// Returns the step for one value of the next bits. It often holds two codes, because most codes are short.
  private static func step(_ look: Int, _ codes: [Int], _ places: inout UInt32) -> Step {
    var bits = 0
    var filled = 0
    var reach = 0
    var symbols = 0
    var starts = 0
    for number in 0..<2 where bits < width && filled < endOfBlock {
      let code = codes[look &<< bits & (size - 1)]
      let length = code >> 8
      let run = code >> 4 & 15
      let width = code & 15
      let behind = Self.width - bits - length
      guard length > 0, behind >= 0, bits + length + width <= maxBits,
        number == 0 || run <= nearby - 2
      else { break }
      symbols = (number == 0 ? code & 0xFF : symbols & 0xFF) << 8 | code & 0xFF
      bits += length
      if width > 0 {
        places |= 1 &<< UInt32(filled + run)
        // If the value isn't complete within the lookup, use its first bits to bound its magnitude.
        let seen = min(width, behind)
        let first = look &>> (behind - seen) & (1 &<< seen - 1)
        reach +=
          first > (1 &<< seen - 1) / 2
          ? (first + 1) &<< (width - seen) - 1 : 1 &<< width - 1 - first &<< (width - seen)
        starts |= bits << (number == 0 ? 8 : 0)
        bits += width
      }
      filled += code & 0xFF == 0 ? endOfBlock : run + 1
    }
    guard bits > 0 else { return none }
    return Step(
      word: UInt64(bits | filled << 8 | reach << 16) | UInt64(symbols | starts << 16) << 32)
  }
}
