/// The macroblocks of a VP8 picture that its alpha hides, and a limit on their contents (decision 38).
///
/// A macroblock is predicted from its neighbors, so visible ones depend on hidden ones next to them. At more than two
/// macroblocks from any visible pixel, an encoder that clears transparent areas writes only flat ones. In 250 pictures
/// of cut-outs encoded by libwebp, no such macroblock had more than two blocks with coefficients, and fewer than two of
/// a hundred had one.
struct WebPProofHidden {
  private let columns, rows: Int
  /// `true` for each macroblock whose pixels are all fully transparent.
  private var isHidden: [Bool]

  init(width: Int, height: Int) {
    columns = (width + 15) / 16
    rows = (height + 15) / 16
    isHidden = [Bool](repeating: true, count: columns * rows)
  }

  /// Adds a row of alpha.
  mutating func addRow(_ row: [UInt8], y: Int) {
    let start = y / 16 * columns
    for x in row.indices where row[x] > 0 { isHidden[start + x / 16] = false }
  }

  /// Returns `true` if hidden macroblocks contain no picture.
  ///
  /// - Parameter filled: for each macroblock, the number of blocks with coefficients.
  func isFlat(_ filled: [UInt8]) -> Bool {
    var count = 0
    var blocks = 0
    for row in 0..<rows {
      for column in 0..<columns where isDeep(column, row) {
        let own = Int(filled[row * columns + column])
        guard own <= 2 else { return false }
        count += 1
        blocks += own
      }
    }
    return blocks <= 16 + count / 4
  }

  /// Returns `true` if no macroblock within two macroblocks is visible.
  private func isDeep(_ column: Int, _ row: Int) -> Bool {
    for y in max(0, row - 2)...min(rows - 1, row + 2) {
      for x in max(0, column - 2)...min(columns - 1, column + 2)
      where !isHidden[y * columns + x] {
        return false
      }
    }
    return true
  }
}

/// An alpha plane, decoded row by row. It adds the neighbors that the encoder subtracted (RFC 9649, 2.7.1.2).
struct WebPProofAlpha {
  /// The neighbor: none, left, above, or left plus above minus the corner.
  private let method: Int
  private var above: [UInt8] = []
  private var y = 0
  private(set) var hidden: WebPProofHidden

  init(method: Int, width: Int, height: Int) {
    self.method = method
    hidden = WebPProofHidden(width: width, height: height)
  }

  mutating func addRow(_ coded: [UInt8]) {
    var row = coded
    if method > 0 {
      for x in row.indices {
        let neighbor: UInt8
        if x == 0 {
          neighbor = y == 0 ? 0 : above[0]
        } else if y == 0 || method == 1 {
          neighbor = row[x - 1]
        } else if method == 2 {
          neighbor = above[x]
        } else {
          neighbor = UInt8(
            min(255, max(0, Int(row[x - 1]) + Int(above[x]) - Int(above[x - 1]))))
        }
        row[x] &+= neighbor
      }
      above = row
    }
    hidden.addRow(row, y: y)
    y += 1
  }
}
