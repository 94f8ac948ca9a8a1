/// Inflates zlib data with a bound on what comes out (RFC 1950 and 1951).
///
/// For color profiles and text only, never for pixels: written for safety and smallness. Work is
/// bounded by the input and the limit; nothing is allocated before it is there.
struct Inflate {
  /// Why nothing came out.
  enum Failure: Error, Equatable {
    /// The data is damaged, ends early, or its checksum is wrong.
    case broken
    /// More than the limit would come out.
    case overLimit
  }

  private let input: [UInt8]
  private var position: Int
  private let end: Int
  private let limit: Int
  /// Bits read but not used, the next one lowest.
  private var bits: UInt64 = 0
  private var bitCount = 0
  private var output: [UInt8] = []

  /// Inflates the zlib stream at the start of `range` into at most `limit` bytes.
  static func zlib(
    _ bytes: [UInt8], in range: Range<Int>, limit: Int
  ) throws(Failure) -> [UInt8] {
    guard range.count >= 6, bytes[range.lowerBound] & 0x0F == 8 else { throw .broken }
    let header = Int(bytes[range.lowerBound]) << 8 | Int(bytes[range.lowerBound + 1])
    // A preset dictionary (0x20) is not allowed in PNG.
    guard header % 31 == 0, header & 0x20 == 0 else { throw .broken }
    var inflate = Inflate(
      input: bytes, position: range.lowerBound + 2, end: range.upperBound, limit: limit)
    while try !inflate.block() {}
    guard try inflate.storedChecksum() == adler(inflate.output) else { throw .broken }
    return inflate.output
  }

  private init(input: [UInt8], position: Int, end: Int, limit: Int) {
    (self.input, self.position, self.end, self.limit) = (input, position, end, limit)
  }

  /// Reads ahead as many whole bytes as there is room for.
  private mutating func fill() {
    while bitCount <= 56, position < end {
      bits |= UInt64(input[position]) << UInt64(bitCount)
      position += 1
      bitCount += 8
    }
  }

  /// Goes on at the next byte; whole bytes read ahead go back.
  private mutating func alignToByte() {
    position -= bitCount / 8
    (bits, bitCount) = (0, 0)
  }

  /// Takes up to 16 bits, the lowest first.
  private mutating func take(_ count: Int) throws(Failure) -> Int {
    if bitCount < count { fill() }
    guard bitCount >= count else { throw .broken }
    defer {
      bits >>= UInt64(count)
      bitCount -= count
    }
    return Int(bits & (1 << UInt64(count) - 1))
  }

  /// Inflates one block; true when it was the last.
  private mutating func block() throws(Failure) -> Bool {
    let isLast = try take(1) == 1
    switch try take(2) {
    case 0: try stored()
    case 1: try compressed(lengths: .fixedLengths, distances: .fixedDistances)
    case 2:
      let (lengths, distances) = try dynamicCodes()
      try compressed(lengths: lengths, distances: distances)
    default: throw .broken
    }
    return isLast
  }

  private mutating func stored() throws(Failure) {
    alignToByte()
    let count = try take(16)
    guard try take(16) == ~count & 0xFFFF else { throw .broken }
    alignToByte()
    guard count <= end - position else { throw .broken }
    guard count <= limit - output.count else { throw .overLimit }
    output += input[position..<position + count]
    position += count
  }

  private static let lengthBase = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258,
  ]
  private static let lengthBits = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distanceBase = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1_025, 1_537,
    2_049, 3_073, 4_097, 6_145, 8_193, 12_289, 16_385, 24_577,
  ]

  private mutating func compressed(lengths: Huffman, distances: Huffman) throws(Failure) {
    while true {
      let symbol = try decode(lengths)
      if symbol == 256 { return }
      if symbol < 256 {
        guard output.count < limit else { throw .overLimit }
        output.append(UInt8(symbol))
        continue
      }
      guard symbol <= 285 else { throw .broken }
      let length = Self.lengthBase[symbol - 257] + (try take(Self.lengthBits[symbol - 257]))
      let code = try decode(distances)
      guard code < 30 else { throw .broken }
      let distance = Self.distanceBase[code] + (try take(max(0, code / 2 - 1)))
      guard distance <= output.count else { throw .broken }
      guard length <= limit - output.count else { throw .overLimit }
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
  }

  private mutating func decode(_ huffman: Huffman) throws(Failure) -> Int {
    if bitCount < 15 { fill() }
    var window = bits
    var (code, first, index) = (0, 0, 0)
    for length in 1...15 {
      guard length <= bitCount else { throw .broken }
      code |= Int(window & 1)
      window >>= 1
      let count = huffman.counts[length]
      if code - first < count {
        bits = window
        bitCount -= length
        return huffman.symbols[index + code - first]
      }
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    throw .broken
  }

  /// Reads the two codes of a dynamic block (RFC 1951, 3.2.7).
  private mutating func dynamicCodes() throws(Failure) -> (Huffman, Huffman) {
    let lengthCount = try take(5) + 257
    let distanceCount = try take(5) + 1
    let codeCount = try take(4) + 4
    guard lengthCount <= 286, distanceCount <= 30 else { throw .broken }
    let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    var codeLengths = [Int](repeating: 0, count: 19)
    for index in 0..<codeCount { codeLengths[order[index]] = try take(3) }
    guard let codes = Huffman(codeLengths[...], mayBeSingle: false) else { throw .broken }

    var lengths: [Int] = []
    while lengths.count < lengthCount + distanceCount {
      let symbol = try decode(codes)
      switch symbol {
      case 0...15: lengths.append(symbol)
      case 16:
        guard let last = lengths.last else { throw .broken }
        lengths += repeatElement(last, count: 3 + (try take(2)))
      case 17: lengths += repeatElement(0, count: 3 + (try take(3)))
      default: lengths += repeatElement(0, count: 11 + (try take(7)))
      }
    }
    guard lengths.count == lengthCount + distanceCount, lengths[256] > 0,
      let literals = Huffman(lengths[..<lengthCount], mayBeSingle: true),
      let distances = Huffman(lengths[lengthCount...], mayBeSingle: true)
    else { throw .broken }
    return (literals, distances)
  }

  /// The Adler-32 after the last block (RFC 1950, 2.2).
  private mutating func storedChecksum() throws(Failure) -> UInt32 {
    alignToByte()
    var value: UInt32 = 0
    for _ in 0..<4 { value = value << 8 | UInt32(try take(8)) }
    return value
  }

  private static func adler(_ bytes: [UInt8]) -> UInt32 {
    var (low, high): (UInt32, UInt32) = (1, 0)
    // So many bytes can be summed up before 32 bits overflow.
    for start in stride(from: 0, to: bytes.count, by: 5_552) {
      for byte in bytes[start..<min(start + 5_552, bytes.count)] {
        low += UInt32(byte)
        high += low
      }
      low %= 65_521
      high %= 65_521
    }
    return high << 16 | low
  }
}

extension Inflate {
  /// A canonical Huffman code: how many symbols have each length, and the symbols in code order.
  struct Huffman {
    let counts: [Int]
    let symbols: [Int]

    static let fixedLengths = Huffman(
      fixed: [(8, 144), (9, 112), (7, 24), (8, 8)].flatMap { repeatElement($0, count: $1) })
    static let fixedDistances = Huffman(fixed: [Int](repeating: 5, count: 30))

    /// Nil when the lengths claim more codes than there are, or leave some open. One code alone may
    /// leave the other half open (3.2.7).
    init?(_ lengths: ArraySlice<Int>, mayBeSingle: Bool) {
      self.init(fixed: Array(lengths))
      var open = 1
      for length in 1...15 {
        open = open << 1 - counts[length]
        guard open >= 0 else { return nil }
      }
      let used = counts[1...].reduce(0, +)
      guard open == 0 || mayBeSingle && used == counts[1] else { return nil }
    }

    /// The code of these lengths, taken as they are.
    private init(fixed lengths: [Int]) {
      var counts = [Int](repeating: 0, count: 16)
      for length in lengths { counts[length] += 1 }
      var next = [Int](repeating: 0, count: 16)
      for length in 1..<15 { next[length + 1] = next[length] + counts[length] }
      var symbols = [Int](repeating: 0, count: lengths.count - counts[0])
      for (symbol, length) in lengths.enumerated() where length > 0 {
        symbols[next[length]] = symbol
        next[length] += 1
      }
      counts[0] = 0
      (self.counts, self.symbols) = (counts, symbols)
    }
  }
}
