extension Inflate {
  /// A Huffman code as a table of what the next bits mean.
  struct Huffman {
    /// A symbol and below it the four bits of its code's length; 0 where bits mean nothing.
    let table: [UInt16]

    static let fixedLengths = Huffman(
      fixed: [(8, 144), (9, 112), (7, 24), (8, 8)].flatMap { repeatElement($0, count: $1) })
    static let fixedDistances = Huffman(fixed: [Int](repeating: 5, count: 30))

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
      self.table = table
    }
  }
}
