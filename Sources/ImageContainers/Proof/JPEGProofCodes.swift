/// What the next bits lead to, looked up for all tables of a scan at once.
struct JPEGProofCodes {
  /// Bits that one look takes in.
  static let width = 11
  static let size = 1 << width

  /// For each DC table: the difference << 16 | bits of a value that is not in sight << 12 | symbol << 6
  /// | bits taken by the code, and by the value where it is in sight; 0 for longer codes.
  private(set) var differences: [Int32] = []
  /// For each AC table: how much one coefficient or two come to at most, without signs, << 16 | places
  /// they fill << 8, with `endOfBlock` when the block ends, | bits they take, at most `mostBits`; `none`
  /// for longer codes.
  private(set) var steps: [UInt32] = []
  /// For each step a bit for each place it fills with more than a zero, the nearest one lowest.
  private(set) var places: [UInt32] = []
  /// For each AC table: bits of the code << 8 | symbol; 0 for longer codes.
  private(set) var singles: [UInt16] = []
  /// For each step its symbols, the first one lowest; the second one is the first again when there
  /// is one only.
  private var symbols: [(UInt8, UInt8)] = []
  private let tables: [JPEGProofHuffman]

  /// Three steps take no more than 56 bits.
  static let mostBits = 18
  static let endOfBlock: UInt32 = 128 << 8
  static let none: UInt32 = 64 << 8

  init(_ tables: [JPEGProofHuffman]) {
    self.tables = tables
    for table in tables {
      if table.isDC { appendDifferences(table) } else { appendSteps(table) }
    }
  }

  /// Where the entries of a table start.
  func start(of index: Int) -> Int {
    tables[..<index].count { $0.isDC == tables[index].isDC } * Self.size
  }

  /// The symbols of the steps that were taken.
  ///
  /// - Parameter taken: for each step whether it was.
  func symbols(of index: Int, taken: [UInt8]) -> Set<UInt8> {
    var result: Set<UInt8> = []
    for step in start(of: index)..<start(of: index) + Self.size where taken[step] != 0 {
      result.formUnion([symbols[step].0, symbols[step].1])
    }
    return result
  }

  /// For each value of the next bits the code they begin with, nil when they do not hold it whole.
  private func codes(_ table: JPEGProofHuffman) -> [(length: Int, symbol: UInt8)?] {
    var codes = [(length: Int, symbol: UInt8)?](repeating: nil, count: Self.size)
    for length in 1...Self.width {
      let spare = Self.width - length
      for index in 0..<table.counts[length] {
        let symbol = table.symbols[table.firstPlaces[length] + index]
        let code = table.firstCodes[length] + index
        for bits in code << spare..<(code + 1) << spare { codes[bits] = (length, symbol) }
      }
    }
    return codes
  }

  private mutating func appendDifferences(_ table: JPEGProofHuffman) {
    differences += codes(table).enumerated().map { bits, code in
      guard let code, code.symbol <= 11 else { return 0 }
      let (size, symbol) = (Int(code.symbol), Int32(code.symbol) << 6)
      let left = Self.width - code.length - size
      guard left >= 0 else { return Int32(size) << 12 | symbol | Int32(code.length) }
      let value = Self.number(bits >> left & (1 << size - 1), size)
      return Int32(value) << 16 | symbol | Int32(code.length + size)
    }
  }

  /// A value of so many bits, not none, the lower half of which stands for negative ones (EXTEND).
  @inline(__always)
  static func number(_ bits: Int, _ size: Int) -> Int {
    bits >= (1 &<< size) >> 1 ? bits : bits &- (1 &<< size) &+ 1
  }

  private mutating func appendSteps(_ table: JPEGProofHuffman) {
    let codes = codes(table)
    for bits in 0..<Self.size {
      singles.append(codes[bits].map { UInt16($0.length << 8) | UInt16($0.symbol) } ?? 0)
      guard let first = codes[bits], Step(first, in: bits).bits <= Self.mostBits else {
        steps.append(Self.none)
        places.append(0)
        symbols.append((0, 0))
        continue
      }
      var step = Step(first, in: bits)
      var second: UInt8?
      // Coefficients are short: often the next one's code is in sight as well.
      if !step.endsBlock, step.bits < Self.width,
        let next = codes[bits << step.bits & (Self.size - 1)],
        next.length <= Self.width - step.bits,
        step.bits + Step(next, in: bits, at: step.bits).bits <= Self.mostBits
      {
        second = next.symbol
        step.append(Step(next, in: bits, at: step.bits))
      }
      steps.append(step.entry)
      places.append(step.places)
      symbols.append((first.symbol, second ?? first.symbol))
    }
  }

  /// What one code or two do (T.81, F.2.2.2).
  private struct Step {
    var bits, filled: Int
    var endsBlock: Bool
    var places: UInt32
    var magnitude: Int

    /// - Parameter start: where the code stands in the bits of the look.
    init(_ code: (length: Int, symbol: UInt8), in look: Int, at start: Int = 0) {
      let (run, size) = (Int(code.symbol >> 4), Int(code.symbol & 15))
      // Of a value that is not in sight as a whole its first bits.
      let behind = JPEGProofCodes.width - start - code.length
      let seen = min(size, behind)
      let first = look >> (behind - seen) & (1 << seen - 1)
      let isPositive = first > (1 << seen - 1) / 2
      magnitude =
        isPositive ? (first + 1) << (size - seen) - 1 : 1 << size - 1 - first << (size - seen)
      bits = code.length + size
      endsBlock = code.symbol == 0
      filled = endsBlock ? 0 : run + 1
      places = size > 0 ? 1 << UInt32(run) : 0
    }

    mutating func append(_ next: Step) {
      places |= next.places << UInt32(filled)
      bits += next.bits
      filled += next.filled
      magnitude += next.magnitude
      endsBlock = next.endsBlock
    }

    var entry: UInt32 {
      UInt32(magnitude << 16 | filled << 8 | bits) | (endsBlock ? JPEGProofCodes.endOfBlock : 0)
    }
  }
}
