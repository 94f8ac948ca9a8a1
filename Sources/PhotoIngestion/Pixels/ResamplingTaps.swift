/// The neighbors that contribute to each pixel of a shortened line, and their weights.
///
/// The weights are those of the cubic that Catmull and Rom describe ("A class of local interpolating splines", 1974),
/// stretched over the number of pixels that become one. Beyond its ends, the line repeats its first and last pixel.
struct ResamplingTaps {
  /// The first neighbor of each new pixel.
  let places: [Int32]
  /// The number of neighbors of each new pixel.
  let count: Int
  /// The number of weights for each new pixel: `count`, padded with zeros to a multiple of eight.
  let stride: Int
  /// `stride` numbers for each new pixel, whose sum is 16,384.
  let weights: [Int16]

  /// Computes the weights for a line.
  ///
  /// - Parameters:
  ///   - length: the number of pixels in the line, above zero.
  ///   - span: the length of the line in pixels if its last pixel is cut. By default, `length`.
  ///   - newLength: the number of pixels in the new line, above zero and at most `length`.
  init(from length: Int, spanning span: Double? = nil, to newLength: Int) {
    // If a thin side would shrink to less than one pixel, it stays one pixel.
    let scale = max(1, (span ?? Double(length)) / Double(newLength))
    let reach = 2 * scale
    count = min(length, Int(2 * reach) + 1)
    stride = (count + 7) / 8 * 8
    var places: [Int32] = []
    var weights: [Int16] = []
    for index in 0..<newLength {
      let center = (Double(index) + 0.5) * scale - 0.5
      let near = Int((center - reach).rounded(.up))...Int((center + reach).rounded(.down))
      let place = max(0, min(near.lowerBound, length - count))
      var shares = [Double](repeating: 0, count: stride)
      for neighbor in near {
        let inside = max(0, min(neighbor, length - 1))
        shares[inside - place] += Self.cubic(abs(Double(neighbor) - center) / scale)
      }
      places.append(Int32(place))
      weights += Self.whole(shares)
    }
    self.places = places
    self.weights = weights
  }

  /// Returns integers in the ratio of the shares. The largest one absorbs the rounding error.
  private static func whole(_ shares: [Double]) -> [Int16] {
    let sum = shares.reduce(0, +)
    var whole = shares.map { Int16(($0 / sum * 16_384).rounded()) }
    if let largest = whole.indices.max(by: { whole[$0] < whole[$1] }) {
      whole[largest] += 16_384 - whole.reduce(0, +)
    }
    return whole
  }

  private static func cubic(_ distance: Double) -> Double {
    switch distance {
    case ..<1: (1.5 * distance - 2.5) * distance * distance + 1
    case ..<2: ((2.5 - 0.5 * distance) * distance - 4) * distance + 2
    default: 0
    }
  }
}
