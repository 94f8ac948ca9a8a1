import Testing

@testable import ImageContainers

@Suite struct JPEGHuffmanTableTests {
  /// A table with the codes 0, 10, 110 and, of 14 bits, 11111111111110.
  private let table = JPEGHuffmanTable(
    counts: [1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0], symbols: [7, 8, 9, 10])

  @Test func codesAreNumberedByLength() throws {
    let table = try #require(table)
    #expect(table.codes[7] == 0x0001)
    #expect(table.codes[8] == 0x0202)
    #expect(table.codes[9] == 0x0603)
    #expect(table.codes[10] == (0b111 << 11) << 8 | 14)
    #expect(table.codes[11] == 0)
  }

  @Test(
    "Codes that are written are read back",
    arguments: [
      JPEGHuffmanTable.typical(forDC: false, isLuma: true),
      .typical(forDC: false, isLuma: false), .typical(forDC: true, isLuma: true),
      .typical(forDC: true, isLuma: false),
    ])
  func roundTrip(_ table: JPEGHuffmanTable) {
    var writer = JPEGBitWriter(capacity: 64)
    writer.reserve(table.symbols.count * 16)
    writer.write { pen in
      for symbol in table.symbols {
        let code = table.codes[Int(symbol)]
        pen.put(UInt64(code >> 8), Int(code & 0xFF))
      }
    }
    var bytes: [UInt8] = []
    JPEGIntervals.append(stuffing: writer.finish(), to: &bytes)
    var bits = JPEGBits(at: 0)
    for symbol in table.symbols {
      bits.fill(bytes.span.bytes)
      let entry = table.lookup.withUnsafeBufferPointer { bits.entry($0.baseAddress!) }
      #expect(entry & 0xFF == symbol)
      bits.skip(Int(entry >> 8))
    }
    #expect(bits.end(bytes, from: 0) == bytes.count && !bits.isOverrun)
  }

  /// Short codes for 16 zeros, for a number of 15 bits after a zero, and for ends of bands, which only progressive
  /// pictures have (T.81).
  private static let strange = JPEGHuffmanTable(
    counts: [1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    symbols: [0xF0, 0x1F, 0x20, 0x03, 0x00, 0x71])!

  @Test(
    "Blocks end where they end code by code, however many codes a look holds",
    arguments: [
      JPEGHuffmanTable.typical(forDC: false, isLuma: true),
      .typical(forDC: false, isLuma: false), strange,
    ])
  func skips(_ table: JPEGHuffmanTable) {
    let skips = JPEGHuffmanTable.skips(table.lookup)
    var numbers = SeededNumbers(state: 7)
    var whole = 0
    for _ in 0..<5_000 {
      let bytes = (0..<320).map { _ in UInt8.random(in: 0...254, using: &numbers) }
      var bits = JPEGBits(at: 0)
      let isWhole = table.lookup.withUnsafeBufferPointer { lookup in
        skips.withUnsafeBufferPointer { skips in
          bits.skipCoefficients(
            lookup.baseAddress!, skips.baseAddress!, of: bytes.span.bytes)
        }
      }
      let end = Self.end(of: bytes, table)
      #expect(isWhole == (end != nil))
      guard let end, isWhole else { continue }
      whole += 1
      #expect(bits.position * 8 - bits.left == end)
    }
    #expect(whole > 500)
  }

  /// Returns the bit behind a block that is taken code by code; nil when its codes do not fill it.
  private static func end(of bytes: [UInt8], _ table: JPEGHuffmanTable) -> Int? {
    var bits = JPEGBits(at: 0)
    var last = 0
    while last < 63 {
      bits.fill(bytes.span.bytes)
      let entry = Int(table.entry(bits.peek(16)))
      guard entry != 0 else { return nil }
      bits.skip(entry >> 8 + entry & 15)
      guard entry & 15 > 0 || entry & 0xFF == 0xF0 else { break }
      last += entry >> 4 & 15 + 1
    }
    return last < 64 ? bits.position * 8 - bits.left : nil
  }

  @Test func typicalTablesAreComplete() {
    for isLuma in [true, false] {
      #expect(JPEGHuffmanTable.typical(forDC: true, isLuma: isLuma).isComplete(forDC: true))
      #expect(JPEGHuffmanTable.typical(forDC: false, isLuma: isLuma).isComplete(forDC: false))
    }
    #expect(table?.isComplete(forDC: true) == false)
  }

  @Test func impossibleTablesAreNone() {
    let zeros = [UInt8](repeating: 0, count: 13)
    #expect(JPEGHuffmanTable(counts: [3, 0, 0] + zeros, symbols: [1, 2, 3]) == nil)
    #expect(JPEGHuffmanTable(counts: [1, 0, 0] + zeros, symbols: [1, 2]) == nil)
    #expect(JPEGHuffmanTable(counts: [1, 0], symbols: [1]) == nil)
  }

  @Test("Generated tables code all their symbols in at most 16 bits, frequent ones in the fewest")
  func optimal() throws {
    var frequencies = [Int](repeating: 0, count: 256)
    // Without the limit, the rarest symbol would take 39 bits.
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
    #expect(JPEGHuffmanTable.optimal(for: single)?.counts == [1] + [UInt8](repeating: 0, count: 15))
  }
}
