/// Deflates bytes into a zlib stream, piece by piece: for the few pictures whose own stream holds more
/// than the picture (RFC 1950 and 1951).
///
/// Every block has codes for the symbols it uses and no others; the same bytes give the same stream.
struct Deflate {
  private(set) var output: [UInt8] = [0x78, 0x9C]
  private var bits: UInt64 = 0
  private var bitCount = 0
  private var adler = Adler32()
  /// Up to 32 KB that matches can reach back into, then what waits for its block.
  private var input: [UInt8] = []
  private var start = 0
  /// Where in all of the data `input` starts.
  private var gone = 0
  /// The last place of each hash of three bytes, and the place before each place; -1 for none.
  private var heads = [Int](repeating: -1, count: 1 << 15)
  private var chain = [Int](repeating: -1, count: 1 << 15)
  /// A literal, or a length shifted by 16 with its distance.
  private var symbols: [Int] = []

  private static let blockBytes = 65_536
  private static let window = 32_768
  /// Places that are tried for each match.
  private static let tries = 48

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    adler.add(bytes)
    input += bytes
    while input.count - start > Self.blockBytes { writeBlock(Self.blockBytes, isLast: false) }
  }

  /// Ends the stream, which is then in `output`.
  mutating func finish() {
    writeBlock(input.count - start, isLast: true)
    end()
  }

  private mutating func end() {
    while bitCount > 0 { flushByte() }
    for shift in [24, 16, 8, 0] {
      output.append(UInt8(truncatingIfNeeded: adler.value >> UInt32(shift)))
    }
  }

  /// A stream of zeros and nothing else, made without looking at them.
  static func zeros(_ count: Int) -> [UInt8] {
    var deflate = Deflate()
    // A literal, and a distance of one for what follows; a match has three bytes or more.
    var left = count - 1
    deflate.symbols = [0]
    while left >= 3 {
      let length = min(258, left)
      deflate.symbols.append(length << 16 | 1)
      left -= length
    }
    deflate.symbols += repeatElement(0, count: left)
    deflate.adler.addZeros(count)
    deflate.writeSymbols(isLast: true)
    deflate.end()
    return deflate.output
  }

  private mutating func flushByte() {
    output.append(UInt8(bits & 0xFF))
    bits >>= 8
    bitCount = max(0, bitCount - 8)
  }

  private mutating func put(_ value: Int, _ count: Int) {
    bits |= UInt64(value) << UInt64(bitCount)
    bitCount += count
    while bitCount >= 8 { flushByte() }
  }

  // MARK: Matching

  private mutating func writeBlock(_ count: Int, isLast: Bool) {
    symbols.removeAll(keepingCapacity: true)
    let end = start + count
    var place = start
    while place < end {
      let (length, distance) = match(at: place, end: end)
      symbols.append(length == 0 ? Int(input[place]) : length << 16 | distance)
      for _ in 0..<max(1, length) {
        enter(place)
        place += 1
      }
    }
    writeSymbols(isLast: isLast)
    start = end
    let surplus = max(0, start - Self.window)
    input.removeFirst(surplus)
    start -= surplus
    gone += surplus
  }

  private func hash(at place: Int) -> Int {
    let three = Int(input[place]) << 16 | Int(input[place + 1]) << 8 | Int(input[place + 2])
    return (three &* 0x9E37_79B1) >> 15 & 0x7FFF
  }

  private mutating func enter(_ place: Int) {
    guard place + 2 < input.count else { return }
    let hash = hash(at: place)
    chain[(gone + place) & (Self.window - 1)] = heads[hash]
    heads[hash] = gone + place
  }

  /// The longest match among the last places with the same three bytes; length 0 for none.
  private func match(at place: Int, end: Int) -> (length: Int, distance: Int) {
    let most = min(258, end - place)
    guard most >= 3 else { return (0, 0) }
    var (best, distance) = (2, 0)
    var candidate = heads[hash(at: place)]
    for _ in 0..<Self.tries {
      let from = candidate - gone
      guard candidate >= 0, from >= 0, place - from <= Self.window, from < place else { break }
      if best < most, input[from + best] == input[place + best] {
        var length = 0
        while length < most, input[from + length] == input[place + length] { length += 1 }
        if length > best { (best, distance) = (length, place - from) }
        if best == most { break }
      }
      let next = chain[candidate & (Self.window - 1)]
      guard next < candidate else { break }
      candidate = next
    }
    return best >= 3 ? (best, distance) : (0, 0)
  }

  // MARK: Blocks

  private mutating func writeSymbols(isLast: Bool) {
    var literalCounts = [Int](repeating: 0, count: 286)
    var distanceCounts = [Int](repeating: 0, count: 30)
    literalCounts[256] = 1
    for symbol in symbols {
      guard symbol >= 1 << 16 else {
        literalCounts[symbol] += 1
        continue
      }
      literalCounts[Self.code(length: symbol >> 16).symbol] += 1
      distanceCounts[Self.code(distance: symbol & 0xFFFF).symbol] += 1
    }
    let literals = HuffmanLengths.lengths(of: literalCounts, limit: 15)
    let distances = HuffmanLengths.lengths(of: distanceCounts, limit: 15)
    put(isLast ? 1 : 0, 1)
    put(2, 2)
    writeCodes(literals, distances)

    let literalCodes = HuffmanLengths.codes(of: literals)
    let distanceCodes = HuffmanLengths.codes(of: distances)
    for symbol in symbols {
      guard symbol >= 1 << 16 else {
        put(literalCodes[symbol], literals[symbol])
        continue
      }
      let length = Self.code(length: symbol >> 16)
      put(literalCodes[length.symbol], literals[length.symbol])
      put(length.value, length.bits)
      let distance = Self.code(distance: symbol & 0xFFFF)
      put(distanceCodes[distance.symbol], distances[distance.symbol])
      put(distance.value, distance.bits)
    }
    put(literalCodes[256], literals[256])
  }

  /// Writes the lengths of both codes, themselves coded (3.2.7).
  private mutating func writeCodes(_ literals: [Int], _ distances: [Int]) {
    let literalCount = max(257, (literals.lastIndex { $0 > 0 } ?? 0) + 1)
    let distanceCount = (distances.lastIndex { $0 > 0 } ?? 0) + 1
    let all = Array(literals[..<literalCount] + distances[..<distanceCount])
    var runs: [(symbol: Int, value: Int, bits: Int)] = []
    var index = 0
    while index < all.count {
      let value = all[index]
      let run = all[index...].prefix { $0 == value }.count
      index += run
      var left = run
      if value == 0 {
        while left >= 3 {
          let part = min(left, 138)
          runs.append(part <= 10 ? (17, part - 3, 3) : (18, part - 11, 7))
          left -= part
        }
      } else {
        runs.append((value, 0, 0))
        left -= 1
        while left >= 3 {
          let part = min(left, 6)
          runs.append((16, part - 3, 2))
          left -= part
        }
      }
      for _ in 0..<left { runs.append((value, 0, 0)) }
    }
    var counts = [Int](repeating: 0, count: 19)
    for run in runs { counts[run.symbol] += 1 }
    let lengths = HuffmanLengths.lengths(of: counts, limit: 7)
    let codes = HuffmanLengths.codes(of: lengths)
    let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    let orderCount = max(4, (order.lastIndex { lengths[$0] > 0 } ?? 0) + 1)
    put(literalCount - 257, 5)
    put(distanceCount - 1, 5)
    put(orderCount - 4, 4)
    for symbol in order[..<orderCount] { put(lengths[symbol], 3) }
    for run in runs {
      put(codes[run.symbol], lengths[run.symbol])
      put(run.value, run.bits)
    }
  }

  /// A length as symbol and extra bits (3.2.5).
  private static func code(length: Int) -> (symbol: Int, value: Int, bits: Int) {
    guard length < 258 else { return (285, 0, 0) }
    let over = length - 3
    guard over >= 8 else { return (257 + over, 0, 0) }
    let bits = Int.bitWidth - 1 - over.leadingZeroBitCount - 2
    return (257 + 4 * bits + over >> bits, over & (1 << bits - 1), bits)
  }

  private static func code(distance: Int) -> (symbol: Int, value: Int, bits: Int) {
    let over = distance - 1
    guard over >= 4 else { return (over, 0, 0) }
    let bits = Int.bitWidth - 1 - over.leadingZeroBitCount - 1
    return (2 * bits + over >> bits, over & (1 << bits - 1), bits)
  }
}
