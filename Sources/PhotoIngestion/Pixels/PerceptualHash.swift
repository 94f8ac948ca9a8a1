/// A 64-bit difference hash: pictures that look alike differ in few bits. It only ever suggests;
/// nothing is merged by it.
///
/// The picture is averaged down to 9 × 8 gray cells; each bit says whether a cell is darker than its
/// right neighbor (Neal Krawetz, "Kind of Like That", 2013).
package enum PerceptualHash {
  /// Returns the hash of a picture with three bytes a pixel, row by row; width and height above zero.
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

  /// Returns bits in which two hashes differ, 0 to 64.
  package static func distance(_ one: UInt64, _ other: UInt64) -> Int {
    (one ^ other).nonzeroBitCount
  }

  /// Returns the pixels a cell covers; at least one, also where the picture is smaller than the grid.
  private static func cell(_ index: Int, of count: Int, along length: Int) -> Range<Int> {
    let start = min(index * length / count, length - 1)
    return start..<max(start + 1, (index + 1) * length / count)
  }

  /// Returns mean luma (ITU-R BT.601) in sixteenths, so that rounding does not make neighbors equal.
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
