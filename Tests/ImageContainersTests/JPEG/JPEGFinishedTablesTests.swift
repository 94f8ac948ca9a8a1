import Testing

@testable import ImageContainers

@Suite("JPEG: Huffman tables that say only what their codes need")
struct JPEGFinishedTablesTests {
  /// Places of `lookup` for these codes, of up to 12 bits.
  private static func seen(_ codes: [(code: Int, length: Int)], in table: JPEGHuffmanTable)
    -> [UInt8]
  {
    var seen = [UInt8](repeating: 0, count: table.lookup.count)
    for (code, length) in codes { seen[code << (12 - length)] = 1 }
    return seen
  }

  private static func counts(_ few: UInt8...) -> [UInt8] {
    few + [UInt8](repeating: 0, count: 16 - few.count)
  }

  @Test("Gaps are filled with the fewest codes, and with the smallest symbols that are free")
  func gaps() throws {
    // 00 01 100 101 1100 1101 1110: used are 01 and 1101.
    let table = try #require(
      JPEGHuffmanTable(
        counts: Self.counts(0, 2, 2, 3), symbols: [0x81, 0x22, 0x55, 7, 9, 0x01, 0xA5]))
    let seen = Self.seen([(1, 2), (0b1101, 4)], in: table)
    let finished = try #require(table.finished(seen: seen[...], forDC: false))
    // One code of 2 bits stands for both of 3 bits.
    #expect(finished.counts == Self.counts(0, 3, 0, 2))
    #expect(finished.symbols == [0x00, 0x22, 0x02, 0x03, 0x01])
    #expect(finished.codes[0x22] == table.codes[0x22])
    #expect(finished.codes[0x01] == table.codes[0x01])
    let again = try #require(
      finished.finished(seen: Self.seen([(1, 2), (0b1101, 4)], in: finished)[...], forDC: false))
    #expect(again.counts == finished.counts && again.symbols == finished.symbols)
  }

  @Test("Of two tables that differ in idle codes only the same is left")
  func idleCodes() throws {
    let one = try #require(
      JPEGHuffmanTable(counts: Self.counts(0, 2, 2, 3), symbols: [1, 2, 3, 4, 5, 6, 7]))
    let other = try #require(JPEGHuffmanTable(counts: Self.counts(0, 3), symbols: [9, 2, 8]))
    let (first, second) = (
      one.finished(seen: Self.seen([(1, 2)], in: one)[...], forDC: true),
      other.finished(seen: Self.seen([(1, 2)], in: other)[...], forDC: true)
    )
    #expect(first?.symbols == [0, 2] && second?.symbols == [0, 2])
    #expect(first?.counts == Self.counts(0, 2) && second?.counts == Self.counts(0, 2))
  }

  @Test("Long codes are told apart")
  func longCodes() throws {
    var counts = [UInt8](repeating: 0, count: 16)
    counts[15] = 20
    let table = try #require(JPEGHuffmanTable(counts: counts, symbols: (0..<20).map { 0x21 + $0 }))
    var seen = [UInt8](repeating: 0, count: table.lookup.count)
    // Code 18 of 16 bits: the second row of further entries, the third of it.
    seen[Int(table.lookup[1] & ~JPEGHuffmanTable.isFurther) + 2] = 1
    let finished = try #require(table.finished(seen: seen[...], forDC: false))
    // 18 is 16 and 2: a code of 12 bits and one of 15 lead up to it.
    #expect(finished.counts[11] == 1 && finished.counts[14] == 1 && finished.counts[15] == 1)
    #expect(finished.symbols == [0, 1, 0x33])
    #expect(finished.codes[0x33] == table.codes[0x33])
  }

  @Test("Tables of annex K stay, also when little of them is used")
  func typical() throws {
    for (isDC, isLuma) in [(true, true), (true, false), (false, true), (false, false)] {
      let table = JPEGHuffmanTable.typical(forDC: isDC, isLuma: isLuma)
      let seen = Self.seen([(0, 2)], in: table)
      #expect(table.finished(seen: seen[...], forDC: isDC)?.symbols == table.symbols)
      // In the other class they are tables like others.
      #expect(table.finished(seen: seen[...], forDC: !isDC)?.symbols.count == 1)
    }
  }

  @Test("Two codes of one symbol say more than the symbol")
  func twice() throws {
    let table = try #require(JPEGHuffmanTable(counts: Self.counts(0, 3), symbols: [4, 5, 4]))
    let both = Self.seen([(0, 2), (2, 2)], in: table)
    #expect(table.finished(seen: both[...], forDC: true) == nil)
    let last = Self.seen([(2, 2)], in: table)
    #expect(table.finished(seen: last[...], forDC: true)?.symbols == [0, 4])
  }

  @Test("Made tables code all their symbols in at most 16 bits, the frequent ones in fewest")
  func optimal() throws {
    var frequencies = [Int](repeating: 0, count: 256)
    // Without a bound the rarest would take 39 bits.
    var (one, two) = (1, 1)
    for symbol in 0..<40 {
      frequencies[symbol] = one
      (one, two) = (two, one + two)
    }
    let table = try #require(JPEGHuffmanTable.optimal(for: frequencies))
    #expect(Set(table.symbols) == Set(0..<40))
    #expect((0..<40).allSatisfy { 1...16 ~= table.codes[$0] & 0xFF })
    // No code is all ones.
    #expect((0..<40).allSatisfy { table.codes[$0] >> 8 != 1 << (table.codes[$0] & 0xFF) - 1 })
    let few = [1, 1, 2, 10] + [Int](repeating: 0, count: 252)
    #expect(JPEGHuffmanTable.optimal(for: few)?.symbols.first == 3)
    var single = [Int](repeating: 0, count: 256)
    single[7] = 3
    #expect(JPEGHuffmanTable.optimal(for: single)?.counts == Self.counts(1))
  }
}
