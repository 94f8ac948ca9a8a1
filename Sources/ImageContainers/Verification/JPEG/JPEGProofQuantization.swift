/// A quantization table (T.81, B.2.4.1) in a DQT segment of its own.
struct JPEGProofQuantization {
  /// In zigzag order, as in the file.
  let values: [Int]
  /// Whether each takes 16 bits.
  let isWide: Bool
  /// Whether no value can be a hiding place: one of libjpeg's tables, a function of a quality alone.
  let isStandard: Bool
  private let offset: Int

  init(_ cursor: inout JPEGProofCursor, number: Int) throws(ProofFailure) {
    offset = cursor.offset
    let failure = ProofFailure("jpeg-quantization", offset: offset)
    try cursor.expect([0xFF, 0xDB], "jpeg-quantization")
    let length = try cursor.number()
    let head = try cursor.byte()
    isWide = head >> 4 == 1
    guard head == (isWide ? 16 : 0) | number, number < 4, length == (isWide ? 131 : 67) else {
      throw failure
    }
    var values: [Int] = []
    for _ in 0..<64 { values.append(isWide ? try cursor.number() : try cursor.byte()) }
    guard isWide == values.contains(where: { $0 > 255 }) else { throw failure }
    self.values = values
    isStandard = Self.standard.contains(values)
  }

  /// - Parameter frequencies: a bit for each that some coefficient other than zero has.
  /// - Throws: when a value that nothing uses is not 1, unless the whole table is a standard one, and
  ///   when one that is used is 0, which takes the coefficients away.
  func check(used frequencies: UInt64) throws(ProofFailure) {
    if isStandard { return }
    for (place, value) in values.enumerated() {
      let isUsed = frequencies >> UInt64(place) & 1 == 1
      guard isUsed ? value != 0 : value == 1 else {
        throw ProofFailure("jpeg-quantization-value", offset: offset + 5 + (isWide ? 2 : 1) * place)
      }
    }
  }

  /// T.81, tables K.1 and K.2 at all qualities, as libjpeg's `jpeg_set_quality` makes them, and with
  /// rows and columns exchanged, as turning makes them.
  private static let standard: Set<[Int]> = {
    var tables: Set<[Int]> = []
    for quality in 1...100 {
      let scale = quality < 50 ? 5000 / quality : 200 - 2 * quality
      for base in [luma, chroma] {
        let table = base.map { max(1, min(255, ($0 * scale + 50) / 100)) }
        tables.insert(table)
        tables.insert(exchanged.map { table[$0] })
      }
    }
    return tables
  }()

  /// For each place in zigzag order the one that lies across the diagonal (T.81, figure A.6).
  private static let exchanged: [Int] = {
    let cells = (0..<64).map { ($0 / 8, $0 % 8) }.sorted { one, other in
      let oneSum = one.0 + one.1
      let otherSum = other.0 + other.1
      guard oneSum == otherSum else { return oneSum < otherSum }
      return oneSum % 2 == 0 ? one.0 > other.0 : one.0 < other.0
    }
    return cells.map { cell in cells.firstIndex { $0 == (cell.1, cell.0) } ?? 0 }
  }()

  private static let luma = [
    16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37,
    29, 40, 58, 51, 61, 60, 57, 51, 56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87,
    95, 98, 103, 104, 103, 62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99,
  ]
  private static let chroma =
    [17, 18, 18, 24, 21, 24, 47, 26, 26, 47, 99, 66, 56, 66] + [Int](repeating: 99, count: 50)
}
