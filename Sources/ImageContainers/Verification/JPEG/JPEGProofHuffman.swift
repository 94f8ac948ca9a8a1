/// A Huffman table (T.81, B.2.4.2 and annex C) in a DHT segment of its own.
struct JPEGProofHuffman {
  /// Class << 4 | number; class 0 is for DC, 1 for AC.
  let head: Int
  let offset: Int
  /// How many codes there are of each length; of length 0 none.
  private(set) var counts = [0]
  /// What the codes mean, in their order.
  let symbols: [UInt8]
  /// For each length the first code, and its place in `symbols`.
  private(set) var firstCodes = [Int](repeating: 0, count: 17)
  private(set) var firstPlaces = [Int](repeating: 0, count: 17)
  /// For each length the smallest 16-bit value that begins with no code of that length or shorter.
  private var ends = [Int](repeating: 0, count: 17)

  var number: Int { head & 15 }
  var isDC: Bool { head >> 4 == 0 }

  init(_ cursor: inout JPEGProofCursor) throws(ProofFailure) {
    let offset = cursor.offset
    let failure = ProofFailure("jpeg-huffman", offset: offset)
    try cursor.expect([0xFF, 0xC4], "jpeg-huffman")
    let length = try cursor.number()
    let head = try cursor.byte()
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
    self.init(head: head, offset: offset, counts: counts, symbols: symbols)
    // More codes than the bits allow.
    guard (1...16).allSatisfy({ ends[$0] <= 1 << 16 }) else { throw failure }
  }

  init(head: Int, offset: Int, counts: [UInt8], symbols: [UInt8]) {
    self.head = head
    self.offset = offset
    self.symbols = symbols
    self.counts += counts.map { Int($0) }
    var code = 0
    var place = 0
    for length in 1...16 {
      code <<= 1
      firstCodes[length] = code
      firstPlaces[length] = place
      code += self.counts[length]
      place += self.counts[length]
      ends[length] = code << (16 - length)
    }
  }

  /// Returns length and symbol of the code these 16 bits begin with, nil when there is none (T.81, F.2.2.3).
  func find(_ bits: Int) -> (length: Int, symbol: UInt8)? {
    guard let length = ends.firstIndex(where: { bits < $0 }) else { return nil }
    let place = bits >> (16 - length) - firstCodes[length]
    return (length, symbols[firstPlaces[length] + place])
  }

  /// Proves that codes which nothing uses say nothing: the table is one of annex K.3, or what its used
  /// codes alone make of it.
  ///
  /// - Parameter used: for each symbol whether it occurs in the data.
  func check(used: [Bool]) throws(ProofFailure) {
    if (isDC ? Self.standardDC : Self.standardAC).contains(where: isEqual) { return }
    guard let (counts, symbols) = canonical(used), counts == self.counts, symbols == self.symbols
    else { throw ProofFailure("jpeg-huffman-entry", offset: offset) }
  }

  /// Returns whether it is the table with these codes.
  func isEqual(_ counts: [UInt8], _ symbols: [UInt8]) -> Bool {
    self.symbols == symbols && self.counts.dropFirst().elementsEqual(counts.lazy.map { Int($0) })
  }

  /// Returns the table with these codes whose other codes say nothing: the fewest and shortest that
  /// fill the gaps in front of those, none after the last, for the smallest symbols left, in order.
  private func canonical(_ used: [Bool]) -> (counts: [Int], symbols: [UInt8])? {
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
    for usedLength in 1...16 {
      for index in 0..<self.counts[usedLength] {
        let symbol = symbols[firstPlaces[usedLength] + index]
        guard used[Int(symbol)] else { continue }
        let value = firstCodes[usedLength] + index
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
    }
    return (counts, made)
  }

  /// Returns for each symbol whether 8-bit pictures have it (T.81, F.1.2), and for DC four more that only fill
  /// gaps.
  private static func isLegal(_ isDC: Bool) -> [Bool] {
    (0...255).map { isDC ? $0 <= 15 : $0 == 0 || $0 == 0xF0 || (1...10).contains($0 & 15) }
  }

  /// T.81, tables K.3 and K.4: how many codes there are of each length, and what they mean.
  static let standardDC: [(counts: [UInt8], symbols: [UInt8])] = [
    ([0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], Array(0...11)),
    ([0, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], Array(0...11)),
  ]

  /// T.81, tables K.5 and K.6.
  static let standardAC: [(counts: [UInt8], symbols: [UInt8])] = [
    (
      [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
      all([
        0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61,
        0x07, 0x22, 0x71, 0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52,
        0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72, 0x82,
      ])
    ),
    (
      [0, 2, 1, 2, 4, 4, 3, 4, 7, 5, 4, 4, 0, 1, 2, 119],
      all([
        0x00, 0x01, 0x02, 0x03, 0x11, 0x04, 0x05, 0x21, 0x31, 0x06, 0x12, 0x41, 0x51, 0x07, 0x61,
        0x71, 0x13, 0x22, 0x32, 0x81, 0x08, 0x14, 0x42, 0x91, 0xA1, 0xB1, 0xC1, 0x09, 0x23, 0x33,
        0x52, 0xF0, 0x15, 0x62, 0x72, 0xD1, 0x0A, 0x16, 0x24, 0x34, 0xE1, 0x25, 0xF1,
      ])
    ),
  ]

  /// Returns the frequent symbols, then all others in their order.
  private static func all(_ frequent: [UInt8]) -> [UInt8] {
    let isLegal = isLegal(false)
    return frequent + (UInt8.min...UInt8.max).filter { isLegal[Int($0)] && !frequent.contains($0) }
  }
}
