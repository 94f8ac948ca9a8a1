extension Inflate {
  /// A Huffman code as a table of what the next bits mean, and which symbols came.
  struct Huffman {
    /// A symbol and below it the four bits of its code's length; 0 where bits mean nothing.
    let table: [UInt16]
    /// Bits of each symbol's code, 0 for none.
    let lengths: [Int]
    var used: [Bool]

    static let fixedLengths = Huffman(
      fixed: [(8, 144), (9, 112), (7, 24), (8, 8)].flatMap { repeatElement($0, count: $1) })
    static let fixedDistances = Huffman(fixed: [Int](repeating: 5, count: 30))

    /// Whether every symbol that has a code came.
    var usesEveryCode: Bool { zip(lengths, used).allSatisfy { $0 == 0 || $1 } }
    /// Whether unused codes are of the first two symbols and all codes have one bit.
    var isStandard: Bool {
      lengths.allSatisfy { $0 <= 1 }
        && zip(lengths, used).dropFirst(2).allSatisfy { $0 == 0 || $1 }
    }

    /// Nil when the lengths claim more codes than there are, or leave some open. One code alone may
    /// leave the other half open (3.2.7).
    init?(_ lengths: ArraySlice<Int>, mayBeSingle: Bool) {
      var open = 1
      for length in 1...15 {
        open = open << 1 - lengths.count { $0 == length }
        guard open >= 0 else { return nil }
      }
      let used = lengths.count { $0 > 0 }
      guard open == 0 || mayBeSingle && used <= 1 && lengths.allSatisfy({ $0 <= 1 }) else {
        return nil
      }
      self.init(fixed: Array(lengths))
    }

    /// The code of these lengths, taken as they are (3.2.2).
    private init(fixed lengths: [Int]) {
      let longest = max(1, lengths.max() ?? 1)
      var table = [UInt16](repeating: 0, count: 1 << longest)
      var code = 0
      for length in 1...longest {
        for symbol in lengths.indices where lengths[symbol] == length {
          // The first bit of a code comes lowest.
          var first = 0
          for bit in 0..<length where code >> bit & 1 == 1 { first |= 1 << (length - 1 - bit) }
          for index in stride(from: first, to: table.count, by: 1 << length) {
            table[index] = UInt16(symbol << 4 | length)
          }
          code += 1
        }
        code <<= 1
      }
      (self.table, self.lengths) = (table, lengths)
      used = [Bool](repeating: false, count: lengths.count)
    }
  }
}

/// The Adler-32 checksum of zlib data (RFC 1950, 8.2), taken piece by piece.
struct Adler32 {
  private var low: UInt32 = 1
  private var high: UInt32 = 0

  var value: UInt32 { high << 16 | low }

  /// Takes this many zeros.
  mutating func addZeros(_ count: Int) { high = UInt32((Int(high) + count * Int(low)) % 65_521) }

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    // This many bytes can be summed up before 32 bits overflow.
    for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 5_552) {
      for byte in bytes[start..<min(start + 5_552, bytes.endIndex)] {
        low += UInt32(byte)
        high += low
      }
      low %= 65_521
      high %= 65_521
    }
  }
}
