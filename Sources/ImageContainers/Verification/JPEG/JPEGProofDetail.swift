/// Finds blocks that hide detail in samples that a decoder clamps.
///
/// An encoder starts from samples between 0 and 255. Its output exceeds this range only by overshoot, which is at most
/// half of the range that the block shows, or by the rounding of coefficients. A block hides detail if it exceeds the
/// range by more than 2 plus half of the range that it shows, and one of these is true:
/// - Its samples have more range beyond the clamp than 2 plus twice the range within it.
/// - No picture within the range rounds to it. Let e be the clamped part and E its coefficients. If such a picture
///   exists, the energy of e is at most half the sum of |E| times quantization steps. Steps count as 12 to 128. The
///   energy may be 5/4 of the sum, or 3/4 if the block shows less than 4.
///
/// The largest measured energies, as a share of the sum:
/// - 402 photos of cameras and phones: 0.79, or 0.26 in blocks that show less than 4. Blocks of these photos have at
///   most twice as much range beyond the clamp as within it.
/// - libjpeg with all qualities, on text, noise and edges: 0.98.
/// - Trellis quantization: 1.7.
/// - mozjpeg, which raises white areas on purpose: 6.
struct JPEGProofDetail {
  /// For each quantization table, the quantization steps in zigzag order.
  private let steps: [Float]
  /// For each quantization table, the tolerance of each coefficient in row order: the step, clamped to 12...128.
  private let tolerances: [Float]
  /// For each quantization table and number n of coefficients, the most that one quantization step of any of the last
  /// `JPEGProofCodes.nearby` of the first n adds to a sample, in sixteenths.
  let bounds: [Int]
  /// The number of `bounds` for each table. Bounds after 64 only keep a masked index in range.
  static let boundCount = 128
  /// For each frequency, its cosine at the eight places.
  private let waves: [SIMD8<Float>]
  /// The numbers of `waves` as a flat array, eight for each frequency.
  private let heights: [Float]
  /// For each frequency, its largest magnitude.
  private let peaks: [Float]
  /// For each place in zigzag order, its place in row order.
  private let places: [Int]

  init(_ tables: [JPEGProofQuantization]) {
    waves = Self.halfWaves.enumerated().map { frequency, half in
      SIMD8(half + half.reversed().map { frequency % 2 == 0 ? $0 : -$0 })
    }
    heights = waves.flatMap { wave in wave.indices.map { wave[$0] } }
    let peaks = Self.halfWaves.map { $0.reduce(0) { max($0, $1.magnitude) } }
    let places = JPEGTurn.zigzag.map { Int($0) }
    self.peaks = peaks
    self.places = places
    steps = tables.flatMap { $0.values.map { Float($0) } }
    tolerances = tables.flatMap { table in
      var tolerances = [Float](repeating: 0, count: 64)
      for (place, value) in zip(places, table.values) {
        tolerances[place] = Float(min(max(value, 12), 128))
      }
      return tolerances
    }
    bounds = tables.flatMap { table in
      let reaches = zip(places, table.values).enumerated().map { index, cell in
        let reach = Float(cell.1 * 16) * peaks[cell.0 / 8] * peaks[cell.0 % 8]
        return index == 0 ? 0 : Int(reach.rounded(.up))
      }
      return (0..<Self.boundCount).map {
        reaches.prefix($0).suffix(JPEGProofCodes.nearby).reduce(0, max)
      }
    }
  }

  /// Returns how much AC coefficients may add to a sample before a block has to be examined, in sixteenths of a sample.
  ///
  /// - Parameter average: The DC coefficient times its step, which is eight times the mean sample.
  @inline(__always)
  static func room(_ average: Int) -> Int {
    // The distance from the average to the clamp. A block that reaches the clamp shows at least this much range.
    let room = 127 * 8 &- abs(average)
    return room &* 2 &+ max(32, room &+ 32)
  }

  /// A block after half of the inverse transform: for each vertical frequency, a row of eight samples.
  typealias Rows = InlineArray<8, SIMD8<Float>>

  /// Returns a block that only has a DC coefficient.
  ///
  /// - Parameter average: The DC coefficient times its step, as for `room`.
  @inline(__always)
  func rows(average: Int) -> Rows {
    var rows = Rows(repeating: .zero)
    rows[0] = waves[0] * Float(average)
    return rows
  }

  /// Adds an AC coefficient to a block.
  ///
  /// - Parameters:
  ///   - place: The place in zigzag order, 1 to 63.
  ///   - table: The index of the quantization table.
  @inline(__always)
  func add(_ value: Int, at place: Int, _ table: Int, to rows: inout Rows) {
    let steps = steps.span
    let places = places.span
    let waves = waves.span
    let cell = unsafe places[unchecked: place]
    let value = Float(value) * (unsafe steps[unchecked: table &* 64 &+ place])
    unsafe rows[unchecked: cell &>> 3] += waves[unchecked: cell & 7] * value
  }

  /// Returns `true` if a block hides detail. Doesn't round its samples.
  ///
  /// - Parameter table: The index of the quantization table.
  func isHidden(in rows: borrowing Rows, _ table: Int) -> Bool {
    // The sum of the vertical waves' magnitudes bounds every sample, and is cheap to compute.
    var reach = Self.magnitudes(rows[0]) * peaks[0]
    for frequency in 1..<8 { reach += Self.magnitudes(rows[frequency]) * peaks[frequency] }
    guard any(reach .> 129) else { return false }

    let samples = samples(rows)
    var low = samples[0]
    var high = samples[0]
    for row in 1..<8 {
      low.replace(with: samples[row], where: samples[row] .< low)
      high.replace(with: samples[row], where: samples[row] .> high)
    }
    let lowest = low.min()
    let highest = high.max()
    let excess = max(highest - 127, -128 - lowest)
    guard excess > 2 else { return false }
    let shown = max(-128, min(127, highest)) - max(-128, min(127, lowest))
    guard excess > shown / 2 + 2 else { return false }
    guard highest - lowest - shown <= 2 * shown + 2 else { return true }
    return !isRounded(samples, table, allowing: shown < 4 ? 0.75 : 1.25)
  }

  /// Returns the samples after the other half of the inverse transform (T.81, A.3.3), without the level shift of 128.
  private func samples(_ rows: borrowing Rows) -> Rows {
    var samples = Rows(repeating: .zero)
    for y in 0..<4 {
      // Waves of even frequencies are symmetric, and those of odd ones antisymmetric, so half of the sums suffice.
      var even = SIMD8<Float>.zero
      var odd = SIMD8<Float>.zero
      for frequency in stride(from: 0, to: 8, by: 2) {
        even += rows[frequency] * heights[frequency &* 8 &+ y]
        odd += rows[frequency &+ 1] * heights[frequency &* 8 &+ 8 &+ y]
      }
      samples[y] = even + odd
      samples[7 &- y] = even - odd
    }
    return samples
  }

  /// Returns `true` if some picture within the range may round to these samples. Judges only by their clamped part.
  ///
  /// - Parameter share: The share of the sum of weighted coefficients that the energy may have.
  private func isRounded(
    _ samples: borrowing Rows, _ table: Int, allowing share: Float
  ) -> Bool {
    var energy: Float = 0
    var columns = Rows(repeating: .zero)
    for y in 0..<8 {
      let clamped =
        samples[y]
        - samples[y].clamped(lowerBound: .init(repeating: -128), upperBound: .init(repeating: 127))
      energy += (clamped * clamped).sum()
      for frequency in 0..<8 { columns[frequency] += clamped * heights[frequency * 8 + y] }
    }
    var sum: Float = 0
    for row in 0..<8 {
      for column in 0..<8 {
        let coefficient = (columns[row] * waves[column]).sum()
        sum += coefficient.magnitude * tolerances[table * 64 + row * 8 + column]
      }
    }
    return energy <= share * sum
  }

  @inline(__always)
  private static func magnitudes(_ vector: SIMD8<Float>) -> SIMD8<Float> {
    vector.replacing(with: -vector, where: vector .< 0)
  }

  /// The first four numbers of each wave. The others mirror them.
  private static let halfWaves: [[Float]] = [
    [0.353553391, 0.353553391, 0.353553391, 0.353553391],
    [0.490392640, 0.415734806, 0.277785117, 0.097545161],
    [0.461939766, 0.191341716, -0.191341716, -0.461939766],
    [0.415734806, -0.097545161, -0.490392640, -0.277785117],
    [0.353553391, -0.353553391, -0.353553391, 0.353553391],
    [0.277785117, -0.490392640, 0.097545161, 0.415734806],
    [0.191341716, -0.461939766, 0.461939766, -0.191341716],
    [0.097545161, -0.277785117, 0.415734806, -0.490392640],
  ]
}
