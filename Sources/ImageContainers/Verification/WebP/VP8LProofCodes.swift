/// Prefix codes (RFC 9649, 3.7.2), five per group: green with lengths and cache indices, red, blue, alpha, distance.
/// All codes share the same arrays because a picture may have thousands.
struct VP8LProofCodes {
  /// The location of a code's parts.
  private struct Code {
    var first: Int
    var alphabet: Int
    var symbols: Int
    /// The only symbol, or `nil` if there are several.
    var only: Int?
  }

  static let lookupBits = 8
  /// For each code, the symbol and its length by the next eight bits, or `isLonger`.
  private var lookup: [UInt16] = []
  private static let isLonger: UInt16 = 0xFFFF
  /// For each code, the number of symbols of each length, 0 to 15.
  private var counts: [UInt16] = []
  private var sorted: [UInt16] = []
  private var seen: [Bool] = []
  private var codes: [Code] = []

  mutating func readGroup(
    _ reader: inout VP8LProofReader, cacheBits: Int
  ) throws(ProofError) {
    for alphabet in [256 + 24 + (cacheBits > 0 ? 1 << cacheBits : 0), 256, 256, 256, 40] {
      try add(try Self.lengths(&reader, alphabet: alphabet), &reader)
    }
  }

  /// Returns the code lengths of all symbols of an alphabet.
  private static func lengths(
    _ reader: inout VP8LProofReader, alphabet: Int
  ) throws(ProofError) -> [UInt8] {
    var lengths = [UInt8](repeating: 0, count: alphabet)
    if reader.readBits(1) == 1 {
      let isPair = reader.readBits(1) == 1
      let first = reader.readBits(reader.readBits(1) == 1 ? 8 : 1)
      let second = isPair ? reader.readBits(8) : first
      guard first < alphabet, second < alphabet, isPair == (first != second) else {
        throw reader.failure("symbol")
      }
      lengths[first] = 1
      lengths[second] = 1
      return lengths
    }
    let order = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    var own = [UInt8](repeating: 0, count: 19)
    for index in 0..<reader.readBits(4) + 4 { own[order[index]] = UInt8(reader.readBits(3)) }
    var codes = VP8LProofCodes()
    try codes.add(own, &reader)
    var left = alphabet
    if reader.readBits(1) == 1 {
      let bits = 2 + 2 * reader.readBits(3)
      left = 2 + reader.readBits(bits)
      guard left <= alphabet else { throw reader.failure("symbols") }
    }
    var symbol = 0
    var previous: UInt8 = 8
    while symbol < alphabet, left > 0 {
      left -= 1
      let entry = codes.readSymbol(&reader, 0)
      if entry < 16 {
        lengths[symbol] = UInt8(entry)
        symbol += 1
        if entry > 0 { previous = UInt8(entry) }
        continue
      }
      let count =
        switch entry {
        case 16: 3 + reader.readBits(2)
        case 17: 3 + reader.readBits(3)
        default: 11 + reader.readBits(7)
        }
      guard symbol + count <= alphabet else { throw reader.failure("symbols") }
      if entry == 16 {
        for index in symbol..<symbol + count { lengths[index] = previous }
      }
      symbol += count
    }
    return lengths
  }

  /// Adds the code with these lengths. It must be complete, or have one symbol of length 1.
  private mutating func add(
    _ lengths: [UInt8], _ reader: inout VP8LProofReader
  ) throws(ProofError) {
    guard !reader.isOverrun else { throw reader.failure("cut") }
    var count = [Int](repeating: 0, count: 16)
    for length in lengths { count[Int(length)] += 1 }
    let used = lengths.count - count[0]
    var free = 1
    for length in 1...15 { free = free << 1 - count[length] }
    guard used > 0, used == 1 ? count[1] == 1 : free == 0 else { throw reader.failure("code") }

    var places = [Int](repeating: 0, count: 17)
    for length in 1...15 { places[length + 1] = places[length] + count[length] }
    var symbols = [UInt16](repeating: 0, count: used)
    for (symbol, length) in lengths.enumerated() where length > 0 {
      symbols[places[Int(length)]] = UInt16(symbol)
      places[Int(length)] += 1
    }
    codes.append(
      Code(
        first: seen.count, alphabet: lengths.count, symbols: used,
        only: used == 1 ? Int(symbols[0]) : nil))
    seen += [Bool](repeating: false, count: lengths.count)
    counts += count.map { UInt16($0) }
    // Positions in `sorted` equal those in `seen`, because both reserve a whole alphabet for each code.
    sorted += symbols + [UInt16](repeating: 0, count: lengths.count - used)
    appendLookup(symbols, count)
  }

  private mutating func appendLookup(_ symbols: [UInt16], _ count: [Int]) {
    let size = 1 << Self.lookupBits
    let start = lookup.count
    guard symbols.count > 1 else {
      lookup += [UInt16](repeating: symbols[0] << 4, count: size)
      return
    }
    lookup += [UInt16](repeating: Self.isLonger, count: size)
    var code = 0
    var next = 0
    for length in 1...Self.lookupBits {
      for _ in 0..<count[length] {
        // In the stream, a code's highest bit comes first; in the table's index, the lowest.
        let reversed = Int(UInt16(code).bitReversed >> UInt16(16 - length))
        for index in stride(from: reversed, to: size, by: 1 << length) {
          lookup[start + index] = symbols[next] << 4 | UInt16(length)
        }
        code = code + 1
        next = next + 1
      }
      code <<= 1
    }
  }

  /// Reads a symbol of a code. Each group has five codes.
  @inline(__always)
  mutating func readSymbol(_ reader: inout VP8LProofReader, _ code: Int) -> Int {
    reader.fill()
    let entry = lookup[code &<< Self.lookupBits | reader.peek(Self.lookupBits)]
    if entry == Self.isLonger { return takeLonger(&reader, code) }
    let symbol = Int(entry &>> 4)
    reader.skip(Int(entry & 15))
    seen[codes[code].first &+ symbol] = true
    return symbol
  }

  private mutating func takeLonger(_ reader: inout VP8LProofReader, _ index: Int) -> Int {
    let first = codes[index].first
    var code = 0
    var base = 0
    var place = 0
    for length in 1...15 {
      code |= reader.readBits(1)
      let count = Int(counts[index * 16 + length])
      if code - base < count {
        let symbol = Int(sorted[first + place + code - base])
        seen[first + symbol] = true
        return symbol
      }
      place += count
      base = (base + count) << 1
      code <<= 1
    }
    return 0  // unreachable, because `add` accepts only complete codes
  }

  var groupCount: Int { codes.count / 5 }

  /// Returns `true` if all pixels of a group have the same color, whose codes have no bits.
  func takesNoData(group: Int) -> Bool {
    (0..<4).allSatisfy { codes[group * 5 + $0].symbols == 1 }
      && (codes[group * 5].only ?? 256) < 256
  }

  /// Returns `true` if a group is used and each of its unused codes has 0 as the only symbol, so that it can't hide
  /// data.
  func isSound(group: Int) -> Bool {
    guard isUsed(group * 5) else { return false }
    return (1..<5).allSatisfy { isUsed(group * 5 + $0) || codes[group * 5 + $0].only == 0 }
  }

  private func isUsed(_ code: Int) -> Bool {
    let code = codes[code]
    return seen[code.first..<code.first + code.alphabet].contains(true)
  }

  /// Returns `true` if red and blue are zero for all pixels of a group.
  func isGreenOnly(group: Int) -> Bool {
    codes[group * 5 + 1].only == 0 && codes[group * 5 + 2].only == 0
  }
}

extension UInt16 {
  fileprivate var bitReversed: UInt16 {
    var value = self
    var result = UInt16(0)
    for _ in 0..<16 {
      result = result << 1 | value & 1
      value = value >> 1
    }
    return result
  }
}
