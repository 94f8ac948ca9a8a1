import Testing

@testable import ImageContainers

private typealias Build = PNGBuilder

/// Data that can hide between the codes of a deflate stream.
@Suite struct PNGProofInflateTests {
  /// A writer of deflate data, in which the first bit is the lowest.
  private struct Bits {
    var bytes: [UInt8] = []
    var count = 0
    mutating func put(_ value: Int, _ bits: Int) {
      for bit in 0..<bits {
        if count % 8 == 0 { bytes.append(0) }
        bytes[bytes.count - 1] |= UInt8(value >> bit & 1) << UInt8(count % 8)
        count += 1
      }
    }
    /// Appends a Huffman code, whose first bit is the highest.
    mutating func code(_ value: Int, _ bits: Int) {
      for bit in (0..<bits).reversed() { put(value >> bit & 1, 1) }
    }
    mutating func align() { count = bytes.count * 8 }
    mutating func stored(_ data: [UInt8], isLast: Bool = false, padding: Int = 0) {
      put(isLast ? 1 : 0, 1)
      put(0, 2)
      if count % 8 != 0 { put(padding, 8 - count % 8) }
      put(data.count, 16)
      put(~data.count & 0xFFFF, 16)
      for byte in data { put(Int(byte), 8) }
    }
    mutating func fixed(_ data: [UInt8], isLast: Bool = true) {
      put(isLast ? 1 : 0, 1)
      put(1, 2)
      for byte in data { byte < 144 ? code(48 + Int(byte), 8) : code(256 + Int(byte), 9) }
      code(0, 7)
    }
  }

  /// The rows of a gray picture of 2 by 2 pixels.
  private static let rows: [UInt8] = [0, 1, 2, 0, 3, 4]

  private func failure(
    header: [UInt8] = [0x78, 0x9C], _ make: (inout Bits) -> Void
  ) -> String? {
    var bits = Bits()
    make(&bits)
    let checksum = Build.zlib(Self.rows).suffix(4)
    let file = Build.file(
      Build.header(color: 0), Build.chunk("IDAT", header + bits.bytes + checksum), Build.end)
    do {
      _ = try PNGProof.verify(file)
      return nil
    } catch {
      return error.problem
    }
  }

  @Test func eachKindOfBlockIsRead() {
    #expect(failure { $0.stored(Self.rows, isLast: true) } == nil)
    #expect(failure { $0.fixed(Self.rows) } == nil)
    #expect(
      failure {
        $0.stored([0, 1])
        $0.fixed([2, 0, 3, 4])
      } == nil)
    #expect(failure { $0.put(7, 24) } == "png-inflate-block")
  }

  @Test func paddingIsSeen() {
    #expect(
      failure {
        $0.stored([0, 1], padding: 4)
        $0.fixed([2, 0, 3, 4])
      } == "png-inflate-padding")
    #expect(
      failure {
        $0.fixed(Self.rows)
        $0.put(1, 1)
      } == "png-inflate-padding")
  }

  @Test func blocksWithoutDataAreSeen() {
    // A flush leaves such a block, and a stream may end with one.
    #expect(
      failure {
        $0.fixed([0, 1], isLast: false)
        $0.stored([])
        $0.fixed([2, 0, 3, 4], isLast: false)
        $0.stored([])
        $0.fixed([])
      } == nil)
    #expect(
      failure {
        $0.stored([])
        $0.stored([])
        $0.fixed(Self.rows)
      } == "png-inflate-empty-block")
    #expect(
      failure {
        $0.fixed([], isLast: false)
        $0.stored([])
        $0.fixed(Self.rows)
      } == "png-inflate-empty-block")
    #expect(
      failure {
        self.dynamic(&$0, [], literals: [0, 1, 2, 3, 4], isLast: false)
        $0.fixed(Self.rows)
      } == "png-inflate-empty-block")
  }

  @Test func codesForSymbolsThatNeverComeAreSeen() {
    #expect(failure { self.dynamic(&$0, Self.rows, literals: [0, 1, 2, 3, 4]) } == nil)
    #expect(
      failure { self.dynamic(&$0, Self.rows, literals: [0, 1, 2, 3, 4, 5, 6]) }
        == "png-inflate-unused-code")
    // zlib writes one or two distance codes of one bit even without any match.
    #expect(
      failure { self.dynamic(&$0, Self.rows, literals: [0, 1, 2, 3, 4], distances: [1, 1]) } == nil)
    #expect(
      failure { self.dynamic(&$0, Self.rows, literals: [0, 1, 2, 3, 4], distances: [1, 0, 1]) }
        == "png-inflate-unused-code")
    #expect(
      failure {
        self.dynamic(&$0, Self.rows, literals: [0, 1, 2, 3, 4], distances: [2, 2, 2, 2])
      } == "png-inflate-unused-code")
  }

  /// Appends a block with dynamic codes. The codes for literals and the end have two or three bits; all have three if
  /// there are eight.
  private func dynamic(
    _ bits: inout Bits, _ data: [UInt8], literals: [Int], distances: [Int] = [0],
    isLast: Bool = true
  ) {
    var lengths = [Int](repeating: 0, count: 257)
    let used = literals + [256]
    // Six symbols have two codes of two bits and four of three. Eight symbols have only codes of three bits.
    for (index, symbol) in used.enumerated() {
      lengths[symbol] = used.count == 8 || index >= 2 ? 3 : 2
    }
    let all = lengths + distances
    bits.put(isLast ? 1 : 0, 1)
    bits.put(2, 2)
    bits.put(0, 5)
    bits.put(distances.count - 1, 5)
    let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
    let values = Set(all).sorted()
    // The codes for the lengths that follow: one bit for zero, and the others share the rest.
    let widths = [[1, 1], [1, 2, 2], [1, 2, 3, 3]][values.count - 2]
    bits.put(15, 4)
    for symbol in order {
      bits.put(values.firstIndex(of: symbol).map { widths[$0] } ?? 0, 3)
    }
    let codes = Self.codes(
      of: (0..<19).map { symbol in values.firstIndex(of: symbol).map { widths[$0] } ?? 0 })
    for length in all { bits.put(codes[length], widths[values.firstIndex(of: length)!]) }
    let symbols = Self.codes(of: lengths)
    for byte in data { bits.put(symbols[Int(byte)], lengths[Int(byte)]) }
    bits.put(symbols[256], lengths[256])
  }

  @Test func aDistanceOutsideTheWindowIsSeen() {
    // A window of 256 bytes is enough for six bytes.
    #expect(failure(header: [0x08, 0x1D]) { $0.fixed(Self.rows) } == nil)
    #expect(failure(header: [0x78, 0x9D]) { $0.fixed(Self.rows) } == "png-zlib")
    #expect(failure(header: [0x78, 0xBB]) { $0.fixed(Self.rows) } == "png-zlib")
    // A match at the start reaches back before the first byte.
    #expect(
      failure {
        $0.put(3, 3)
        $0.code(1, 7)
        $0.code(0, 5)
      } == "png-inflate-distance")
  }

  /// Returns the codes for these lengths, with the first bit lowest (RFC 1951, 3.2.2).
  private static func codes(of lengths: [Int]) -> [Int] {
    var codes = [Int](repeating: 0, count: lengths.count)
    var code = 0
    for length in 1...15 {
      for symbol in lengths.indices where lengths[symbol] == length {
        for bit in 0..<length { codes[symbol] |= (code >> bit & 1) << (length - 1 - bit) }
        code += 1
      }
      code <<= 1
    }
    return codes
  }
}
