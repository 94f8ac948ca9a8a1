/// Reduces quantization tables to the steps that coefficients need.
enum JPEGQuantization {
  /// Returns the components' tables for a finished file. Tables that libjpeg writes stay unchanged. In others, each
  /// step that no coefficient uses becomes 1, because its value could be anything.
  ///
  /// - Parameter components: each component's table, in zigzag order, and a bit for each place at which some block has
  ///   a coefficient that is not zero. Components with equal tables share one.
  /// - Returns: `nil` if a step of 0 hides coefficients.
  static func finished(_ components: [(steps: [UInt16], used: UInt64)]) -> [[UInt16]]? {
    var finished: [[UInt16]] = []
    for (steps, _) in components {
      if typical.contains(steps) {
        finished.append(steps)
        continue
      }
      let used = components.reduce(0 as UInt64) { $1.steps == steps ? $0 | $1.used : $0 }
      var result = steps
      for place in steps.indices where used >> UInt64(place) & 1 == 0 { result[place] = 1 }
      guard !result.contains(0) else { return nil }
      finished.append(result)
    }
    return finished
  }

  /// libjpeg's tables for all qualities (`jpeg_set_quality` with 8-bit values), in zigzag order.
  static let typical: Set<[UInt16]> = {
    var tables: Set<[UInt16]> = []
    for quality in 1...100 {
      let scale = quality < 50 ? 5000 / quality : 200 - 2 * quality
      for base in [luma, chroma] {
        tables.insert(
          JPEGTurn.zigzag.map { UInt16(max(1, min(255, (base[Int($0)] * scale + 50) / 100))) })
      }
    }
    return tables
  }()

  /// T.81, table K.1, row by row.
  private static let luma = [
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
    14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113,
    92, 49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
  ]

  /// T.81, table K.2, row by row.
  private static let chroma = [
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99,
    47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
  ]
}
