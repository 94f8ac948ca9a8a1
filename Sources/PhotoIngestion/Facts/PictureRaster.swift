/// A small picture as pixels on white, to be drawn in a terminal or compared.
package struct PictureRaster: Sendable, Equatable {
  /// Pixels across.
  package var width: Int
  /// Pixels down.
  package var height: Int
  /// Red, green and blue of each pixel, row by row; `width * height * 3` bytes.
  package var rgb: [UInt8]

  /// Whether another picture looks alike: on average samples differ by at most 4 of 255, and by 20 in each block of
  /// about 8×8 pixels, since damage may be as small. Noise, of which decoders make different averages, may differ by
  /// as much as neighbors in it do.
  package func isAlike(_ other: PictureRaster) -> Bool {
    guard (width, height) == (other.width, other.height) else { return false }
    let columns = max(1, width / 8)
    let rows = max(1, height / 8)
    var sums = [Int](repeating: 0, count: columns * rows)
    var counts = sums
    var details = sums
    var otherDetails = sums
    for place in rgb.indices {
      let (row, column) = (place / 3).quotientAndRemainder(dividingBy: width)
      let part = row * rows / height * columns + column * columns / width
      sums[part] += abs(Int(rgb[place]) - Int(other.rgb[place]))
      counts[part] += 1
      guard column > 0 else { continue }
      details[part] += abs(Int(rgb[place]) - Int(rgb[place - 3]))
      otherDetails[part] += abs(Int(other.rgb[place]) - Int(other.rgb[place - 3]))
    }
    return sums.reduce(0, +) <= 4 * rgb.count
      && sums.indices.allSatisfy {
        sums[$0] <= max(20 * counts[$0], min(details[$0], otherDetails[$0]))
      }
  }
}
