import Testing

@testable import ImageContainers

/// Tests with a second implementation of how a turn moves each coefficient. `Scripts/check-turns` compares the same
/// files with jpegtran.
@Suite("JPEG: a turn loses nothing")
struct JPEGTurnedCoefficientsTests {
  /// Every Huffman coding that cameras and editors write, and colors other than YCbCr. CMYK is left out because it is
  /// never stored.
  static let codings = [
    "orientation-1.jpg", "turned-restart.jpg", "turned-chroma-across.jpg", "turned-chroma-down.jpg",
    "turned-chroma-quarter.jpg", "turned-chroma-full.jpg", "turned-optimized.jpg",
    "turned-gray.jpg", "turned-progressive.jpg", "turned-progressive-restart.jpg",
    "turned-several-scans.jpg", "turned-several-scans-restart.jpg", "adobe-rgb-coded.jpg",
    "turned-cut-unit-below.jpg",
  ]

  @Test("Each coefficient is at its new position", arguments: codings, 1...8)
  func coefficients(_ name: String, _ orientation: Int) throws {
    let clean = try JPEGTurningTests.clean(name)
    let before = try #require(try JPEGCoefficients(clean, limits: .init()))
    let turned = try JPEGContainer.turned(clean, orientation: orientation)
    guard Self.isPerfect(before, orientation) else {
      #expect(turned == nil)
      return
    }
    let file = try #require(turned)
    let after = try #require(try JPEGCoefficients(file, limits: .init()))
    let isExchanged = orientation >= 5
    for (plane, (old, new)) in zip(before.planes, after.planes).enumerated() {
      #expect(
        (new.across, new.down) == (isExchanged ? (old.down, old.across) : (old.across, old.down)))
      for y in 0..<old.down {
        for x in 0..<old.across {
          let (right, bottom) = (old.across - 1 - x, old.down - 1 - y)
          let (column, row) = [
            (x, y), (right, y), (right, bottom), (x, bottom), (y, x), (bottom, x), (bottom, right),
            (y, right),
          ][orientation - 1]
          let expected = Self.turned(
            Self.block(before, old.start + y * old.across + x, old), orientation)
          let found = Self.block(after, new.start + row * new.across + column, new)
          guard found != expected else { continue }
          Issue.record("plane \(plane), block \(x), \(y)")
          return
        }
      }
    }
    // The proof accepts the file, and each turn gives the same bytes.
    let finished = try #require(try JPEGTurningTests.stored(file))
    #expect(throws: Never.self) { try ContainerProof.verify(finished, as: .jpeg) }
    #expect(try JPEGContainer.turned(clean, orientation: orientation) == file)
  }

  /// Returns whether the turn is perfect in the sense of `jpegtran -perfect`: no partial unit moves to the left or the
  /// top edge.
  private static func isPerfect(_ picture: JPEGCoefficients, _ orientation: Int) -> Bool {
    let wide = picture.planes.map(\.horizontal).max() ?? 1
    let high = picture.planes.map(\.vertical).max() ?? 1
    let fillsColumns = picture.frame.width % (8 * wide) == 0
    let fillsRows = picture.frame.height % (8 * high) == 0
    return switch orientation {
    case 2, 8: fillsColumns
    case 4, 6: fillsRows
    case 3, 7: fillsColumns && fillsRows
    default: true
    }
  }

  /// Returns a block's dequantized coefficients by rows.
  private static func block(
    _ picture: JPEGCoefficients, _ number: Int, _ plane: JPEGPlane
  ) -> [Int] {
    var block = [Int](repeating: 0, count: 64)
    let values = picture.blocks.coefficients(of: number)
    for (place, natural) in JPEGTurn.zigzag.enumerated() {
      block[Int(natural)] = Int(values[place]) * Int(plane.quantization?[place] ?? 0)
    }
    return block
  }

  private static func turned(_ block: [Int], _ orientation: Int) -> [Int] {
    var result = block
    for down in 0..<8 {
      for across in 0..<8 {
        var value = block[down * 8 + across]
        if [2, 3, 7, 8].contains(orientation), across % 2 == 1 { value.negate() }
        if [3, 4, 6, 7].contains(orientation), down % 2 == 1 { value.negate() }
        result[orientation >= 5 ? across * 8 + down : down * 8 + across] = value
      }
    }
    return result
  }
}

extension JPEGBlocks {
  /// The coefficients of all blocks.
  var all: [[Int16]] { (0..<count).map(coefficients) }

  /// Returns a block's coefficients, in zigzag order.
  func coefficients(of block: Int) -> [Int16] {
    var next = isPacked ? starts[block] : 0
    return (0..<64).map { place in
      guard place > 0 else { return dcAverages[block] }
      guard filled[block] >> UInt64(place) & 1 == 1 else { return 0 }
      defer { next += 1 }
      return isPacked ? packed[next] : values[block * 64 + place]
    }
  }
}
