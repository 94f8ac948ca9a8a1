/// Of which neighbors a pixel of a shorter line is made, and how much of each.
///
/// Weights are those of the cubic that Catmull and Rom describe ("A class of local interpolating
/// splines", 1974), stretched over as many pixels as become one. Beyond its ends the line goes on
/// with its first and last pixel.
struct ResamplingTaps {
  /// For each new pixel the first of its neighbors.
  let places: [Int32]
  /// Neighbors of each new pixel.
  let count: Int
  /// How many weights each new pixel has: `count`, and zeros up to a multiple of eight.
  let stride: Int
  /// `stride` numbers for each new pixel, whose sum is 16,384.
  let weights: [Int16]

  /// - Parameters:
  ///   - length: pixels of the line; above zero.
  ///   - span: how many pixels the line is long, where its last one is cut; all of them by default.
  ///   - newLength: pixels it is to have; above zero, not more than `length`.
  init(from length: Int, spanning span: Double? = nil, to newLength: Int) {
    // Less than one pixel is left of a thin picture's side, and stays one.
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

  /// Returns whole numbers in the ratio of the shares: what rounding leaves over goes to the largest.
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
