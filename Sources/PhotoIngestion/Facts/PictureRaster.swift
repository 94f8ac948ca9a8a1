/// A small picture as pixels on white, to be drawn in a terminal or compared.
package struct PictureRaster: Sendable, Equatable {
  /// Pixels across.
  package var width: Int
  /// Pixels down.
  package var height: Int
  /// Red, green and blue of each pixel, row by row; `width * height * 3` bytes.
  package var rgb: [UInt8]

  /// Whether another picture looks alike: samples differ by at most 4 of 255 on average, in all of it and in each
  /// of 64 parts, since most damage lies in one of them.
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
    return zip(sums, counts).allSatisfy { $0 <= 4 * $1 }
  }
}
