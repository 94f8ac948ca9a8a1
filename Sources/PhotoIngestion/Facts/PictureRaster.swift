/// A small picture as pixels on white, for drawing in a terminal or for comparing a HEIC original with its blob.
package struct PictureRaster: Sendable, Equatable {
  package var width: Int
  package var height: Int
  /// Red, green and blue of each pixel, row by row. Contains `width * height * 3` bytes.
  package var rgb: [UInt8]

  /// Returns `true` if another picture looks alike. On average, samples may differ by at most 4 of 255. Within each
  /// block of about 8×8 pixels they may differ by 20 on average, because damage may be that small. A noisy block may
  /// differ by as much as its neighboring pixels do, because decoders average noise differently.
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
