/// Inflates zlib data with a bound on what comes out (RFC 1950 and 1951).
///
/// For color profiles, text, and rows that have to be counted: written for safety and smallness. Work is bounded by the input and the limit; nothing is allocated before it is there.
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
  /// What came out last: 32 KB at least, all when there is less.
  private var output: [UInt8] = []
  /// Bytes that came out before `output`, and how many of `output` the receiver has.
  private var droppedCount = 0
  private var flushedCount = 0
  private var adler = Adler32()

  /// Receives the inflated bytes piece by piece.
  typealias Receiver = (ArraySlice<UInt8>) -> Void

  /// Inflates the zlib stream at the start of `range` into at most `limit` bytes.
  static func zlib(
    _ bytes: [UInt8], in range: Range<Int>, limit: Int
  ) throws(Failure) -> [UInt8] {
    var output: [UInt8] = []
    var inflate = try Inflate(bytes, in: range, limit: limit)
    guard try inflate.inflateAll({ output += $0 }) else { throw .broken }
    return output
  }

  /// Inflates a zlib stream piece by piece, as far as it goes and however much comes out. Decoders may have
  /// all rows before they come to its end.
  ///
  /// - Returns: whether its codes can be followed to a checksum that is right.
  static func pieces(_ stream: [UInt8], receive: Receiver) -> Bool {
    guard var inflate = try? Inflate(stream, in: 0..<stream.count, limit: .max) else {
      return false
    }
    if (try? inflate.inflateAll(receive)) == true { return true }
    inflate.flush(receive)
    return false
  }

  private init(_ bytes: [UInt8], in range: Range<Int>, limit: Int) throws(Failure) {
    guard range.count >= 6, bytes[range.lowerBound] & 0x0F == 8 else { throw .broken }
    let header = Int(bytes[range.lowerBound]) << 8 | Int(bytes[range.lowerBound + 1])
    // A preset dictionary (0x20) is not allowed in PNG.
    guard header % 31 == 0, header & 0x20 == 0 else { throw .broken }
    input = bytes
    position = range.lowerBound + 2
    end = range.upperBound
    self.limit = limit
  }

  /// Inflates all blocks; false when the checksum is wrong.
  private mutating func inflateAll(_ receive: Receiver) throws(Failure) -> Bool {
    while try !inflateBlock(receive) {}
    flush(receive)
    return try storedChecksum() == adler.value
  }

  /// Hands what is new to the receiver, and keeps the window.
  private mutating func flush(_ receive: Receiver) {
    adler.add(output[flushedCount...])
    receive(output[flushedCount...])
    let surplus = max(0, output.count - 32_768)
    output.removeFirst(surplus)
    droppedCount += surplus
    flushedCount = output.count
  }

  /// Fails unless this many more bytes may come out; flushes when much is there.
  private mutating func makeRoom(_ count: Int, _ receive: Receiver) throws(Failure) {
    guard count <= limit - droppedCount - output.count else { throw .overLimit }
    if output.count >= 262_144 { flush(receive) }
  }

  /// Reads ahead as many whole bytes as there is room for.
  private mutating func fill() {
    while bitCount <= 56, position < end {
      bits |= UInt64(input[position]) << UInt64(bitCount)
      position += 1
      bitCount += 8
    }
  }

  /// Goes on at the next byte; whole bytes that were read ahead are read again.
  private mutating func alignToByte() {
    position -= bitCount / 8
    bits = 0
    bitCount = 0
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
  private mutating func inflateBlock(_ receive: Receiver) throws(Failure) -> Bool {
    let isLast = try take(1) == 1
    switch try take(2) {
    case 0: try copyStoredBlock(receive)
    case 1: try inflateCompressedBlock(Huffman.fixedLengths, Huffman.fixedDistances, receive)
    case 2:
      let (lengths, distances) = try dynamicCodes()
      try inflateCompressedBlock(lengths, distances, receive)
    default: throw .broken
    }
    return isLast
  }

  private mutating func copyStoredBlock(_ receive: Receiver) throws(Failure) {
    alignToByte()
    let count = try take(16)
    guard try take(16) == ~count & 0xFFFF else { throw .broken }
    alignToByte()
    let available = min(count, end - position)
    try makeRoom(available, receive)
    output += input[position..<position + available]
    position += available
    guard available == count else { throw .broken }
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

  private mutating func inflateCompressedBlock(
    _ lengths: Huffman, _ distances: Huffman, _ receive: Receiver
  ) throws(Failure) {
    while true {
      let symbol = try decode(lengths)
      if symbol == 256 { return }
      if symbol < 256 {
        try makeRoom(1, receive)
        output.append(UInt8(symbol))
        continue
      }
      guard symbol <= 285 else { throw .broken }
      let length = Self.lengthBase[symbol - 257] + (try take(Self.lengthBits[symbol - 257]))
      let code = try decode(distances)
      guard code < 30 else { throw .broken }
      let distance = Self.distanceBase[code] + (try take(max(0, code / 2 - 1)))
      guard distance <= output.count else { throw .broken }
      try makeRoom(length, receive)
      // Byte by byte: a slice of the array itself would make the append copy all of it.
      let start = output.count - distance
      for index in start..<start + length { output.append(output[index]) }
    }
  }

  private mutating func decode(_ huffman: Huffman) throws(Failure) -> Int {
    if bitCount < 15 { fill() }
    let entry = huffman.table[Int(bits & UInt64(huffman.table.count - 1))]
    let length = Int(entry & 15)
    guard length > 0, length <= bitCount else { throw .broken }
    bits >>= UInt64(length)
    bitCount -= length
    return Int(entry >> 4)
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

  /// Returns the Adler-32 after the last block (RFC 1950, 2.2).
  private mutating func storedChecksum() throws(Failure) -> UInt32 {
    alignToByte()
    var value: UInt32 = 0
    for _ in 0..<4 { value = value << 8 | UInt32(try take(8)) }
    return value
  }
}
