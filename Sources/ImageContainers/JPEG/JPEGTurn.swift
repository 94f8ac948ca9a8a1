/// The effect of turning and mirroring on blocks and their coefficients.
///
/// Mirroring a block negates the coefficients of its odd frequencies across or down. Exchanging the rows and columns of
/// a block exchanges the rows and columns of its coefficients. Both are lossless.
struct JPEGTurn {
  /// First, the order of the stored columns or rows is reversed. Then, columns become rows.
  let mirrorsColumns, mirrorsRows, exchangesSides: Bool

  /// Returns the turn that makes a picture of this EXIF orientation (1 to 8) upright.
  init(orientation: Int) {
    mirrorsColumns = [2, 3, 7, 8].contains(orientation)
    mirrorsRows = [3, 4, 6, 7].contains(orientation)
    exchangesSides = orientation >= 5
  }

  /// Returns `true` if no unit that is cut off by the picture's edge would move to the left or top edge.
  func isPossible(for scan: JPEGScan) -> Bool {
    (!mirrorsColumns || scan.frame.width % scan.unitWidth == 0)
      && (!mirrorsRows || scan.frame.height % scan.unitHeight == 0)
  }

  /// Returns the numbers of the stored units in the order of the turned picture.
  func units(of scan: JPEGScan) -> some Sequence<Int> {
    order(columns: scan.columns, rows: scan.rows)
  }

  /// Returns the blocks of a unit in their turned order, with their components.
  func blocks(of scan: JPEGScan) -> [(component: Int, number: Int)] {
    var first = 0
    var blocks: [(component: Int, number: Int)] = []
    for (index, component) in scan.components.enumerated() {
      let order = order(columns: component.horizontal, rows: component.vertical)
      blocks += order.map { (index, first + $0) }
      first += component.horizontal * component.vertical
    }
    return blocks
  }

  /// Returns the cells of a stored grid, numbered row by row, in their order after the turn.
  private func order(columns: Int, rows: Int) -> some Collection<Int> {
    let across = exchangesSides ? rows : columns
    return (0..<columns * rows).lazy.map { number in
      let (y, x) = number.quotientAndRemainder(dividingBy: across)
      let (column, row) = exchangesSides ? (y, x) : (x, y)
      return (mirrorsRows ? rows - 1 - row : row) * columns
        + (mirrorsColumns ? columns - 1 - column : column)
    }
  }

  /// The new place of each coefficient in zigzag order, plus 64 if its sign changes.
  var places: [UInt8] {
    var order = [UInt8](repeating: 0, count: 64)
    for (place, natural) in Self.zigzag.enumerated() { order[Int(natural)] = UInt8(place) }
    return Self.zigzag.map { natural in
      let (down, across) = Int(natural).quotientAndRemainder(dividingBy: 8)
      let isNegated = (mirrorsColumns && across % 2 == 1) != (mirrorsRows && down % 2 == 1)
      return order[exchangesSides ? across * 8 + down : Int(natural)] + (isNegated ? 64 : 0)
    }
  }

  /// Returns quantization steps for the turned picture, in zigzag order. Steps move with their coefficients.
  func quantization(_ steps: [UInt16]) -> [UInt16] {
    var result = steps
    for (place, step) in zip(places, steps) { result[Int(place & 63)] = step }
    return result
  }

  /// The coefficients in the order of T.81, figure A.6. Each number is 8 * row + column.
  static let zigzag: [UInt8] = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20,
    13, 6, 7, 14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59,
    52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
  ]
}
