/// A small picture as pixels on white, to be drawn in a terminal or compared.
package struct PictureRaster: Sendable, Equatable {
  /// Pixels across.
  package var width: Int
  /// Pixels down.
  package var height: Int
  /// Red, green and blue of each pixel, row by row; `width * height * 3` bytes.
  package var rgb: [UInt8]

  /// Whether another picture looks alike: on average samples differ by at most 4 of 255, and by 16 in each of 64
  /// parts, since most damage lies in a few of them. Sharp colored edges differ by as much where chroma is halved.
  package func isAlike(_ other: PictureRaster) -> Bool {
    guard (width, height) == (other.width, other.height) else { return false }
    var sums = [Int](repeating: 0, count: 64)
    var counts = sums
    for place in rgb.indices {
      let (row, column) = (place / 3).quotientAndRemainder(dividingBy: width)
      let part = row * 8 / height * 8 + column * 8 / width
      sums[part] += abs(Int(rgb[place]) - Int(other.rgb[place]))
      counts[part] += 1
    }
    return sums.reduce(0, +) <= 4 * rgb.count && zip(sums, counts).allSatisfy { $0 <= 16 * $1 }
  }
}
