extension HEVCPicture {
  /// The rows or columns of tiles, in the order in which they follow each other from top to bottom once
  /// the picture stands upright: decoded one after the other and put below each other they are the
  /// upright picture. All of it in one where the crop leaves out a whole row or column.
  public var strips: [HEVCPicture] {
    let isOnItsSide = orientation >= 5
    let rows = tiles.count / max(columns, 1)
    guard columns > 0, rows * columns == tiles.count else { return [self] }
    let lines = (0..<(isOnItsSide ? columns : rows)).map { line in
      isOnItsSide ? column(line, rows: rows) : row(line)
    }
    guard lines.allSatisfy({ $0.crop.width > 0 && $0.crop.height > 0 }) else { return [self] }
    // Upright, the last stored row or column comes first.
    return [3, 4, 7, 8].contains(orientation) ? lines.reversed() : lines
  }

  private func row(_ line: Int) -> HEVCPicture {
    var strip = self
    strip.tiles = Array(tiles[line * columns..<(line + 1) * columns])
    strip.height = tileHeight
    (strip.crop.top, strip.crop.height) = Self.share(
      of: line, thick: tileHeight, from: crop.top, count: crop.height)
    return strip
  }

  private func column(_ line: Int, rows: Int) -> HEVCPicture {
    var strip = self
    strip.tiles = (0..<rows).map { tiles[$0 * columns + line] }
    strip.columns = 1
    strip.width = tileWidth
    (strip.crop.left, strip.crop.width) = Self.share(
      of: line, thick: tileWidth, from: crop.left, count: crop.width)
    return strip
  }

  /// What of `count` rows or columns after `from` lies in a line, counted from the line's first.
  private static func share(
    of line: Int, thick: Int, from: Int, count: Int
  ) -> (first: Int, count: Int) {
    let first = max(from - line * thick, 0)
    return (first, min(from + count - line * thick, thick) - first)
  }
}
