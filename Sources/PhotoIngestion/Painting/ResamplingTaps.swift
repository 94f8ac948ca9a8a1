/// Of which neighbors a pixel of a shorter line is made, and how much of each.
///
/// Weights are those of the cubic that Catmull and Rom describe ("A class of local interpolating
/// splines", 1974), stretched over as many pixels as become one. Beyond its ends the line goes on
/// with its first and last pixel.
struct ResamplingTaps {
  /// For each new pixel the first of its neighbors.
  let places: [Int]
  /// Neighbors of each new pixel.
  private let count: Int
  /// `count` numbers for each new pixel; their sum is 1.
  private let weights: [Float]

  /// - Parameters:
  ///   - length: pixels of the line; above zero.
  ///   - newLength: pixels it is to have; above zero, not more than `length`.
  init(from length: Int, to newLength: Int) {
    let scale = Double(length) / Double(newLength)
    let reach = 2 * scale
    let count = min(length, Int(2 * reach) + 1)
    var places: [Int] = []
    var weights: [Float] = []
    for index in 0..<newLength {
      let center = (Double(index) + 0.5) * scale - 0.5
      let near = Int((center - reach).rounded(.up))...Int((center + reach).rounded(.down))
      let place = max(0, min(near.lowerBound, length - count))
      var shares = [Double](repeating: 0, count: count)
      for neighbor in near {
        let inside = max(0, min(neighbor, length - 1))
        shares[inside - place] += Self.cubic(abs(Double(neighbor) - center) / scale)
      }
      let sum = shares.reduce(0, +)
      places.append(place)
      weights += shares.map { Float($0 / sum) }
    }
    (self.places, self.weights, self.count) = (places, weights, count)
  }

  /// The new pixel at `index`, of the pixels from `first` on, which lie `stride` apart.
  @inline(__always)
  func weighted(
    _ index: Int, of first: UnsafePointer<SIMD4<Float>>, stride: Int
  ) -> SIMD4<Float> {
    weights.withUnsafeBufferPointer { weights in
      var sum = SIMD4<Float>.zero
      var weight = weights.baseAddress! + index * count
      var pixel = first
      for _ in 0..<count {
        sum += pixel.pointee * weight.pointee
        weight += 1
        pixel += stride
      }
      return sum
    }
  }

  private static func cubic(_ distance: Double) -> Double {
    switch distance {
    case ..<1: (1.5 * distance - 2.5) * distance * distance + 1
    case ..<2: ((2.5 - 0.5 * distance) * distance - 4) * distance + 2
    default: 0
    }
  }
}
