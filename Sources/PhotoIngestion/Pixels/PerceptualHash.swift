/// A 64-bit difference hash. Pictures that look alike differ in few bits. The hash is only used for suggestions, and
/// nothing is ever merged because of it.
///
/// The picture is averaged down to 9 × 8 gray cells. Each bit is 1 if a cell is darker than its right neighbor (Neal
/// Krawetz, "Kind of Like That", 2013).
package enum PerceptualHash {
  /// Returns the hash of a picture with three bytes per pixel, row by row. Width and height must be above zero.
  static func of(rgb: [UInt8], width: Int, height: Int) -> UInt64 {
    var hash: UInt64 = 0
    for row in 0..<8 {
      let rows = cell(row, of: 8, along: height)
      let grays = (0..<9).map { column in
        average(rgb, cell(column, of: 9, along: width), rows, width: width)
      }
      for column in 0..<8 {
        hash = hash << 1 | (grays[column] < grays[column + 1] ? 1 : 0)
      }
    }
    return hash
  }

  /// Returns the number of bits in which two hashes differ, 0 to 64.
  package static func distance(_ one: UInt64, _ other: UInt64) -> Int {
    (one ^ other).nonzeroBitCount
  }

  /// Returns the pixels that a cell covers. At least one, even if the picture is smaller than the grid.
  private static func cell(_ index: Int, of count: Int, along length: Int) -> Range<Int> {
    let start = min(index * length / count, length - 1)
    return start..<max(start + 1, (index + 1) * length / count)
  }

  /// Returns the mean luma (ITU-R BT.601) in units of 1/16, so that rounding does not make neighbors equal.
  private static func average(
    _ rgb: [UInt8], _ columns: Range<Int>, _ rows: Range<Int>, width: Int
  ) -> Int {
    var sum = 0
    for y in rows {
      for x in columns {
        let pixel = (y * width + x) * 3
        sum += 299 * Int(rgb[pixel]) + 587 * Int(rgb[pixel + 1]) + 114 * Int(rgb[pixel + 2])
      }
    }
    return sum * 16 / (columns.count * rows.count * 1000)
  }
}
