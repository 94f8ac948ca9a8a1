/// A Huffman table (T.81, B.2.4.2 and annex C) in a DHT segment of its own.
struct JPEGProofHuffman {
  /// Class << 4 | number. Class 0 is for DC, 1 for AC.
  let head: Int
  /// The offset of the segment.
  let offset: Int
  let table: JPEGHuffmanTable

  var number: Int { head & 15 }
  var isDC: Bool { head >> 4 == 0 }

  init(_ cursor: inout JPEGProofCursor) throws(ProofError) {
    offset = cursor.offset
    let failure = ProofError("jpeg-huffman", offset: offset)
    try cursor.expect([0xFF, 0xC4], "jpeg-huffman")
    let length = try cursor.number()
    head = try cursor.byte()
    var counts: [UInt8] = []
    for _ in 1...16 { counts.append(UInt8(try cursor.byte())) }
    let count = counts.reduce(0) { $0 + Int($1) }
    guard head >> 4 <= 1, length == 19 + count, count <= 256 else { throw failure }
    var symbols: [UInt8] = []
    var isFree = Self.isLegal(head >> 4 == 0)
    for _ in 0..<count {
      let symbol = try cursor.byte()
      guard isFree[symbol] else { throw failure }
      isFree[symbol] = false
      symbols.append(UInt8(symbol))
    }
    guard let table = JPEGHuffmanTable(counts: counts, symbols: symbols) else { throw failure }
    self.table = table
  }

  /// Proves that the unused codes carry no information.
  ///
  /// The table must be one of annex K.3, or the one that `canonical` makes from the used codes alone.
  ///
  /// - Parameter used: For each symbol, `true` if it occurs in the data.
  func check(used: [Bool]) throws(ProofError) {
    guard finished(used: used) == table else {
      throw ProofError("jpeg-huffman-entry", offset: offset)
    }
  }

  /// Returns a table that passes `check` and keeps the used codes, or `nil` if no such table exists.
  func finished(used: [Bool]) -> JPEGHuffmanTable? {
    let isStandard = [true, false].contains { isLuma in
      table == .typical(forDC: isDC, isLuma: isLuma)
    }
    return isStandard ? table : canonical(used)
  }

  /// Returns the table that keeps the used codes, and whose other codes follow from these.
  ///
  /// The other codes are the fewest and shortest that fill the gaps before the used codes. They get the smallest unused
  /// symbols in order. No code follows the last used one.
  ///
  /// - Returns: `nil` if there are too few symbols for the gaps.
  private func canonical(_ used: [Bool]) -> JPEGHuffmanTable? {
    let isLegal = Self.isLegal(isDC)
    var free = (UInt8.min...UInt8.max).filter { isLegal[Int($0)] && !used[Int($0)] }[...]
    var counts = [Int](repeating: 0, count: 17)
    var made: [UInt8] = []
    var code = 0
    var length = 1
    func codes(_ count: Int) -> Bool {
      guard count <= free.count else { return false }
      made += free.prefix(count)
      free = free.dropFirst(count)
      counts[length] += count
      return true
    }
    for symbol in table.symbols where used[Int(symbol)] {
      let usedLength = Int(table.codes[Int(symbol)] & 0xFF)
      let value = Int(table.codes[Int(symbol)] >> 8)
      while length < usedLength {
        let gap = value >> (usedLength - length) - code
        guard codes(gap) else { return nil }
        code = (code + gap) << 1
        length = length + 1
      }
      guard codes(value - code) else { return nil }
      made.append(symbol)
      counts[length] += 1
      code = value + 1
    }
    return JPEGHuffmanTable(counts: counts.dropFirst().map { UInt8($0) }, symbols: made)
  }

  /// Returns for each symbol `true` if 8-bit pictures may have it (T.81, F.1.2). For DC, four more symbols are legal
  /// that only fill gaps.
  private static func isLegal(_ isDC: Bool) -> [Bool] {
    (0...255).map { isDC ? $0 <= 15 : $0 == 0 || $0 == 0xF0 || (1...10).contains($0 & 15) }
  }
}
