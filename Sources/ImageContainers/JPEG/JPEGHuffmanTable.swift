/// A Huffman table of a scan, for reading and writing codes (ITU-T T.81, annex C and F.2.2.3).
struct JPEGHuffmanTable: Equatable {
  /// Codes up to this many bits are found with one lookup, and longer ones with two.
  static let lookupBits = 12
  /// The number of codes of each length, 1 to 16 bits.
  let counts: [UInt8]
  /// The symbols of the codes, in their order.
  let symbols: [UInt8]
  /// An entry for each value of the next 12 bits: length of the code << 8 | symbol, or 0 if they don't begin a code. If
  /// the code is longer, the entry is `isFurther` and the index in this array of 16 such entries for the 4 bits after
  /// those.
  private(set) var lookup = [UInt16](repeating: 0, count: 1 << lookupBits)
  static let isFurther: UInt16 = 0x8000
  /// An entry for each symbol: code << 8 | its length, or 0 if the table has no code for it.
  private(set) var codes = [UInt32](repeating: 0, count: 256)

  /// Returns `nil` if there are more codes of a length than its bits allow, or if the number of symbols differs from
  /// that of codes.
  init?(counts: some Collection<UInt8>, symbols: some Collection<UInt8>) {
    self.counts = Array(counts)
    self.symbols = Array(symbols)
    guard self.counts.count == 16, self.counts.reduce(0, { $0 + Int($1) }) == self.symbols.count
    else { return nil }
    var code = 0
    var remaining = self.symbols[...]
    for length in 1...16 {
      for symbol in remaining.prefix(Int(self.counts[length - 1])) {
        guard code < 1 << length else { return nil }
        codes[Int(symbol)] = UInt32(code << 8 | length)
        enter(UInt16(length << 8) | UInt16(symbol), code: code, length: length)
        code += 1
      }
      remaining = remaining.dropFirst(Int(self.counts[length - 1]))
      code <<= 1
    }
  }

  private mutating func enter(_ entry: UInt16, code: Int, length: Int) {
    guard length > Self.lookupBits else {
      let spare = Self.lookupBits - length
      for bits in code << spare..<(code + 1) << spare { lookup[bits] = entry }
      return
    }
    let start = code >> (length - Self.lookupBits)
    if lookup[start] == 0 {
      lookup[start] = Self.isFurther | UInt16(lookup.count)
      lookup += [UInt16](repeating: 0, count: 16)
    }
    let spare = 16 - length
    let place = Int(lookup[start] & ~Self.isFurther)
    for bits in code << spare..<(code + 1) << spare { lookup[place + (bits & 15)] = entry }
  }

  /// Returns the entry of the code that these 16 bits begin with, or 0 if they don't begin with a code.
  func entry(_ bits: Int) -> UInt16 {
    let entry = lookup[bits >> (16 - Self.lookupBits)]
    guard entry & Self.isFurther != 0 else { return entry }
    return lookup[Int(entry & ~Self.isFurther) + (bits & 15)]
  }

  /// The flag in the places of a `skips` step that ends the block.
  static let endOfBlock = 128

  /// Returns a step for each value of the next 12 bits. It combines all AC codes that these bits contain as a whole:
  /// bits of the codes and their values, at most 18 | filled places << 8, plus `endOfBlock << 8` if the block ends. A
  /// step with 64 places, more than a block has, means that no code is complete.
  ///
  /// - Parameter lookup: `lookup` of a table.
  static func skips(_ lookup: [UInt16]) -> [UInt16] {
    let size = 1 << lookupBits
    return (0..<size).map { look in
      var bits = 0
      var filled = 0
      while bits < lookupBits, filled < 64 {
        let entry = Int(lookup[look &<< bits & (size - 1)])
        let length = entry >> 8
        guard entry != 0, bits + length <= lookupBits, bits + length + entry & 15 <= 18
        else { break }
        filled += isEnd(entry) ? endOfBlock : entry >> 4 & 15 + 1
        bits += length + entry & 15
      }
      let isStep = bits > 0 && filled & 127 < 64
      return UInt16(isStep ? filled << 8 | bits : 64 << 8)
    }
  }

  /// Returns `true` if an entry of `lookup` ends a block of AC coefficients. As in libjpeg, that is every entry that is
  /// neither a coefficient nor 16 zeros.
  @inline(__always)
  static func isEnd(_ entry: Int) -> Bool { entry & 15 == 0 && entry & 0xF0 != 0xF0 }

  /// Returns `true` if every symbol that 8-bit pictures can need has a code. For DC they need differences of up to 11
  /// bits. For AC they need coefficients of up to 10 bits after up to 15 zeros, 16 zeros, and the end of block (T.81,
  /// F.1.2).
  func isComplete(forDC isDC: Bool) -> Bool {
    guard !isDC else { return codes[0...11].allSatisfy { $0 != 0 } }
    return codes[0x00] != 0 && codes[0xF0] != 0
      && (0...15).allSatisfy { run in (1...10).allSatisfy { codes[run << 4 | $0] != 0 } }
  }

  static func == (one: JPEGHuffmanTable, other: JPEGHuffmanTable) -> Bool {
    one.counts == other.counts && one.symbols == other.symbols
  }

  /// Returns the payload of a DHT segment with only this table. `head` is its class << 4 | its number.
  func payload(head: UInt8) -> [UInt8] { [head] + counts + symbols }
}

/// The tables of T.81, annex K.3, which have a code for every symbol of 8-bit pictures.
extension JPEGHuffmanTable {
  static func typical(forDC isDC: Bool, isLuma: Bool) -> JPEGHuffmanTable {
    switch (isDC, isLuma) {
    case (true, true): lumaDC
    case (true, false): chromaDC
    case (false, true): lumaAC
    case (false, false): chromaAC
    }
  }

  private static let lumaDC = JPEGHuffmanTable(
    counts: [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], symbols: 0...11)!
  private static let chromaDC = JPEGHuffmanTable(
    counts: [0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], symbols: 0...11)!
  private static let lumaAC = JPEGHuffmanTable(
    counts: [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
    symbols: allAC(after: [
      0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61,
      0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52,
      0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72, 0x82,
    ]))!
  private static let chromaAC = JPEGHuffmanTable(
    counts: [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119],
    symbols: allAC(after: [
      0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61,
      0x71, 0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33,
      0x52, 0xF0, 0x15, 0x62, 0x72, 0xD1, 0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1,
    ]))!

  /// Returns the frequent symbols in the given order, and then all others in ascending order.
  private static func allAC(after frequent: [UInt8]) -> [UInt8] {
    let rare = (UInt8.min...UInt8.max).filter { symbol in
      (1...10).contains(symbol & 15) && !frequent.contains(symbol)
    }
    return frequent + rare
  }
}
