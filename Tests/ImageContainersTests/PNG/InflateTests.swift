import Testing

@testable import ImageContainers

@Suite struct InflateTests {
  /// A stream with dynamic codes, by zlib at level 9: 54 letters six times and 37 others, all of it three times.
  private static let dynamic = bytes(
    """
    78daed90d10d8020104357e9006ee034a79c80415038083abd84c4250c1f4dda26efe78961a8a011c923148e90
    7618eb1cc8ab3e5612a496e0fb3c48a65e06f55184879748b8b2657137f67c9cac50b85aafb185ca691eca86e8
    9f897e019af3765c
    """)
  private static let sentence = String(
    repeating: String(
      repeating: "the dog ran over the hill and the cat sat on the mat, ", count: 6)
      + "a zebra quietly jumped vexing foxes; ", count: 3)
  /// A stream with fixed codes, by zlib: "PetSpot " thirty times.
  private static let fixed = bytes("78010b482d092ec82f5108182134007ec15803")
  /// A stream of 100,000 zeros, by zlib at level 9.
  private static let hundredThousandZeros = bytes(
    "78daedc13101000000c2a0f54f6d0d0fa0" + String(repeating: "0", count: 192) + "80570386af0001")

  private static func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { !$0.isWhitespace }.compactMap { $0.hexDigitValue.map(UInt8.init) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// Returns a stream of zeros in stored blocks, without end and checksum.
  static func zeros(megabytes: Int) -> [UInt8] {
    let block: [UInt8] = [0, 0xFF, 0xFF, 0, 0] + [UInt8](repeating: 0, count: 0xFFFF)
    return [0x78, 0x01] + repeatElement(block, count: megabytes << 4 + 1).flatMap { $0 }
  }

  private func inflate(_ data: [UInt8], limit: Int = 1 << 20) throws(Inflate.Failure) -> [UInt8] {
    try Inflate.zlib(data, in: 0..<data.count, limit: limit)
  }

  @Test func inflatesAllKindsOfBlocks() throws {
    #expect(try inflate(Self.dynamic) == Array(Self.sentence.utf8))
    #expect(try inflate(Self.fixed) == Array(String(repeating: "PetSpot ", count: 30).utf8))
    #expect(try inflate(PNGBuilder.zlib([1, 2, 3])) == [1, 2, 3])
    #expect(try inflate(Self.hundredThousandZeros) == [UInt8](repeating: 0, count: 100_000))
  }

  @Test func inflatesARangeOfAFile() throws {
    let file = [9, 9] + Self.fixed + [9]
    #expect(try Inflate.zlib(file, in: 2..<file.count - 1, limit: 240).count == 240)
  }

  @Test func stopsAtTheLimit() {
    #expect(throws: Inflate.Failure.overLimit) { try inflate(Self.fixed, limit: 239) }
    #expect(throws: Inflate.Failure.overLimit) {
      try inflate(Self.hundredThousandZeros, limit: 99_999)
    }
    #expect(throws: Inflate.Failure.overLimit) { try inflate(Self.zeros(megabytes: 2)) }
  }

  @Test(arguments: [dynamic, fixed, PNGBuilder.zlib([1, 2, 3])])
  func refusesEveryTruncationAndAWrongChecksum(data: [UInt8]) {
    for count in 0..<data.count {
      #expect(throws: Inflate.Failure.broken) { try inflate(Array(data[..<count])) }
    }
    var wrong = data
    wrong[data.count - 1] ^= 1
    #expect(throws: Inflate.Failure.broken) { try inflate(wrong) }
  }

  @Test(
    arguments: [
      [0x79, 0x01, 1, 0, 0, 0xFF, 0xFF, 0, 0, 0, 1],  // not deflate
      [0x78, 0x02, 1, 0, 0, 0xFF, 0xFF, 0, 0, 0, 1],  // wrong header check
      [0x78, 0xBB, 1, 0, 0, 0xFF, 0xFF, 0, 0, 0, 1],  // preset dictionary
      [0x78, 0x01, 7, 0, 0, 0, 0, 0, 0, 0, 1],  // block type 3
      [0x78, 0x01, 1, 1, 0, 0xFF, 0xFF, 0, 0, 0, 1],  // lengths disagree
      [0x78, 0x01, 0x03, 0x02, 0, 0, 0, 0, 0, 0, 0],  // a copy from before the start
    ] as [[UInt8]])
  func refusesBrokenStreams(data: [UInt8]) {
    #expect(throws: Inflate.Failure.broken) { try inflate(data) }
  }

  @Test func survivesAnyBytes() {
    var numbers = SeededNumbers(state: 7)
    var inflated = 0
    for round in 0..<20_000 {
      var data = round % 2 == 0 ? Self.dynamic : Self.fixed
      for _ in 0...Int.random(in: 0..<3, using: &numbers) {
        data[Int.random(in: 2..<data.count, using: &numbers)] = .random(
          in: 0...255, using: &numbers)
      }
      if (try? inflate(data, limit: 4_096)) != nil { inflated += 1 }
    }
    #expect(inflated < 20_000)
  }
}
