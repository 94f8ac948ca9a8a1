/// A quantization table (T.81, B.2.4.1) in a DQT segment of its own.
struct JPEGProofQuantization {
  /// The quantization steps in zigzag order, as in the file.
  let values: [Int]
  /// `true` if each value takes 16 bits, `false` if 8.
  let isWide: Bool
  /// `true` if this is one of libjpeg's tables. Its values can't hide anything, because they follow from a quality.
  let isStandard: Bool
  private let offset: Int

  init(_ cursor: inout JPEGProofCursor, number: Int) throws(ProofError) {
    offset = cursor.offset
    let failure = ProofError("jpeg-quantization", offset: offset)
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
    isStandard = Self.standard.contains(values.map { UInt16($0) })
  }

  /// Checks that unused values are 1, and that no value is 0, which would hide coefficients. Standard tables always
  /// pass.
  ///
  /// - Parameter frequencies: A bit for each frequency with a coefficient other than zero.
  func check(used frequencies: UInt64) throws(ProofError) {
    let finished = finished(used: frequencies)
    for (place, value) in values.enumerated() where !isStandard {
      guard value == finished[place], value != 0 else {
        throw ProofError("jpeg-quantization-value", offset: offset + 5 + (isWide ? 2 : 1) * place)
      }
    }
  }

  /// Returns the values with 1 in place of unused ones. A standard table stays as it is.
  func finished(used frequencies: UInt64) -> [UInt16] {
    values.enumerated().map { place, value in
      isStandard || frequencies >> UInt64(place) & 1 == 1 ? UInt16(value) : 1
    }
  }

  /// The tables of libjpeg's `jpeg_set_quality`, also transposed, because turning a picture transposes them.
  private static let standard = JPEGQuantization.typical.union(
    JPEGQuantization.typical.map(JPEGTurn(orientation: 5).quantization))
}
