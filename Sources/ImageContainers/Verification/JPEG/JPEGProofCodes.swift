/// What the next bits lead to, looked up for all tables of a scan at once.
struct JPEGProofCodes {
  /// Bits that one look takes in.
  static let width = 11
  static let size = 1 << width

  /// What one code of AC or two do (T.81, F.2.2.2).
  struct Step {
    /// Bits they take, at most `maxBits` | places they fill << 8, with `endOfBlock` when the block ends
    /// | how much their coefficients come to at most, without signs, << 16 | the second one's symbol
    /// << 32, which is the first one's when there is one only, and the first one's << 40 | bits in front
    /// of the second one's value << 48, 0 when it has none, and of the first one's << 56.
    fileprivate(set) var word: UInt64
    @inline(__always) var bits: Int { Int(truncatingIfNeeded: word & 63) }
    @inline(__always) var filled: Int { Int(truncatingIfNeeded: word >> 8 & 0xFF) }
    @inline(__always) var reach: Int { Int(truncatingIfNeeded: word >> 16 & 0xFFFF) }
    @inline(__always) var second: Int { Int(truncatingIfNeeded: word >> 32 & 0xFF) }
    @inline(__always) var first: Int { Int(truncatingIfNeeded: word >> 40 & 0xFF) }
    @inline(__always) var beforeSecond: Int { Int(truncatingIfNeeded: word >> 48 & 0xFF) }
    @inline(__always) var beforeFirst: Int { Int(truncatingIfNeeded: word >> 56) }
  }

  /// For each DC table: the difference << 16 | bits of a value that is not in sight << 12 | symbol << 6
  /// | bits taken by the code, and by the value where it is in sight; 0 for longer codes.
  private(set) var differences: [Int32] = []
  /// For each AC table; `none` for longer codes.
  private(set) var steps: [Step] = []
  /// For each step a bit for each place it fills with more than a zero, the nearest one lowest.
  private(set) var places: [UInt32] = []
  private let tables: [JPEGProofHuffman]

  /// Three steps take no more than 56 bits.
  private static let maxBits = 18
  private static let endOfBlock = 128
  /// Coefficients of a step lie among this many places at its end, whose largest bound holds for both.
  static let nearby = 4
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

  /// Returns where the entries of a table start.
  func start(of index: Int) -> Int {
    tables[..<index].count { $0.isDC == tables[index].isDC } * Self.size
  }

  /// Marks the symbols of the steps that were taken.
  ///
  /// - Parameter taken: for each step whether it was.
  func mark(_ index: Int, taken: [UInt8], in symbols: inout [Bool]) {
    for step in start(of: index)..<start(of: index) + Self.size where taken[step] != 0 {
      symbols[steps[step].first] = true
      symbols[steps[step].second] = true
    }
  }

  /// Returns for each value of the next bits length << 8 | symbol of the code they begin with, 0 when they do
  /// not hold it whole.
  private static func codes(_ table: JPEGHuffmanTable) -> [Int] {
    (0..<size).map { look in
      let entry = Int(table.entry(look << (16 - width)))
      return entry >> 8 <= width ? entry : 0
    }
  }

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

  /// Those of the tables that most pictures have.
  private static let standard = [true, false].map {
    steps(.typical(forDC: false, isLuma: $0))
  }

  private static func steps(
    _ table: JPEGHuffmanTable
  ) -> (table: JPEGHuffmanTable, steps: [Step], places: [UInt32]) {
    let codes = codes(table)
    var steps = [Step](repeating: none, count: size)
    var places = [UInt32](repeating: 0, count: size)
    for look in 0..<size { steps[look] = step(look, codes, &places[look]) }
    return (table, steps, places)
  }

  /// Coefficients are short: often the next one's code is in sight as well.
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
        // Of a value that is not in sight as a whole its first bits.
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
