/// Of which neighbors a pixel of a shorter line is made, and how much of each.
///
/// Weights are those of the cubic that Catmull and Rom describe ("A class of local interpolating
/// splines", 1974), stretched over as many pixels as become one. Beyond its ends the line goes on
/// with its first and last pixel.
struct ResamplingTaps {
  /// For each new pixel the first of its neighbors.
  let places: [Int]
  /// Neighbors of each new pixel.
  let count: Int
  /// `count` numbers for each new pixel; their sum is 1.
  private let weights: [Float]

  /// - Parameters:
  ///   - length: pixels of the line; above zero.
  ///   - span: how many pixels the line is long, where its last one is cut; all of them by default.
  ///   - newLength: pixels it is to have; above zero, not more than `length`.
  init(from length: Int, spanning span: Double? = nil, to newLength: Int) {
    // Less than one pixel is left of a thin picture's side, and stays one.
    let scale = max(1, (span ?? Double(length)) / Double(newLength))
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
    self.places = places
    self.weights = weights
    self.count = count
  }

  /// Returns how much of each of its neighbors becomes the new pixel at `index`.
  func weights(of index: Int) -> ArraySlice<Float> { weights[index * count..<(index + 1) * count] }

  /// Computes all new pixels of a line.
  ///
  /// - Parameter line: its pixels.
  func forEachWeighted(
    of line: UnsafePointer<SIMD4<Float>>, into new: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    weights.withUnsafeBufferPointer { weights in
      places.withUnsafeBufferPointer { places in
        var weight = weights.baseAddress!
        for index in 0..<places.count {
          var sum = SIMD4<Float>.zero
          let pixel = line + places[index]
          for neighbor in 0..<count { sum += pixel[neighbor] * weight[neighbor] }
          new[index] = sum
          weight += count
        }
      }
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
