/// What a block of coefficients comes to before a decoder clamps it, and whether detail hides there.
///
/// An encoder starts from samples between 0 and 255. What it gives beyond them is overshoot: half of
/// what it shows at most, or the rounding of coefficients. A block hides detail when it exceeds the
/// range by more than 2 and half of the range that it shows, and
/// - its samples have more than 2 plus twice as much range beyond the clamp as within it, or
/// - no picture within the range rounds to it. The clamped part e, with the coefficients E, shows
///   that: where one does, the energy of e is at most half the sum of |E| times quantization steps.
///   Steps count as 12 to 128, and 5/4 of the sum is allowed, or 3/4 where less than 4 is shown.
///
/// 402 photos of cameras and phones come to 0.79 of the sum, 0.26 where less than 4 is shown, and have
/// no range beyond twice what they show; libjpeg comes to 0.98 over all qualities, on text, noise and
/// edges; trellis quantization reaches 1.7, and mozjpeg, which raises what is white on purpose, 6.
struct JPEGProofDetail {
  /// For each quantization table, in zigzag order, what a step of each coefficient is worth.
  private let steps: [Float]
  /// For each quantization table, in rows, what each coefficient may differ by.
  private let tolerances: [Float]
  /// For each quantization table and number of coefficients the largest part of a sample that a step of
  /// one of the last of them makes, in sixteenths.
  let bounds: [Int]
  /// Entries of `bounds` for each table, some of which only make room.
  static let boundCount = 128
  /// For each frequency its cosine at the eight places, also number by number; and the largest one.
  private let waves: [SIMD8<Float>]
  private let heights: [Float]
  private let peaks: [Float]
  /// For each place in zigzag order the one in rows.
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

  /// Returns how far coefficients of AC may reach before a block is looked into, in sixteenths of a
  /// sample.
  ///
  /// - Parameter average: the DC coefficient times its step, eight times a sample.
  @inline(__always)
  static func room(_ average: Int) -> Int {
    // What is left to the clamp, which a block that reaches it shows as a range at least.
    let room = 127 * 8 &- abs(average)
    return room &* 2 &+ max(32, room &+ 32)
  }

  /// A block that is half transformed: waves across, for each frequency down.
  typealias Rows = InlineArray<8, SIMD8<Float>>

  /// Returns a block of its average alone.
  ///
  /// - Parameter average: as for `room`.
  @inline(__always)
  func rows(average: Int) -> Rows {
    var rows = Rows(repeating: .zero)
    rows[0] = waves[0] * Float(average)
    return rows
  }

  /// Adds a coefficient of AC.
  ///
  /// - Parameters:
  ///   - place: 1 to 63, in zigzag order.
  ///   - table: its quantization table.
  @inline(__always)
  func add(_ value: Int, at place: Int, _ table: Int, to rows: inout Rows) {
    let steps = steps.span
    let places = places.span
    let waves = waves.span
    let cell = unsafe places[unchecked: place]
    let value = Float(value) * (unsafe steps[unchecked: table &* 64 &+ place])
    unsafe rows[unchecked: cell &>> 3] += waves[unchecked: cell & 7] * value
  }

  /// Returns whether a block hides detail, rounding left out.
  ///
  /// - Parameter table: its quantization table.
  func isHidden(in rows: borrowing Rows, _ table: Int) -> Bool {
    // No sample is further out than all waves down together.
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

  /// Returns the other half of the inverse transform (T.81, A.3.3), without the 128.
  private func samples(_ rows: borrowing Rows) -> Rows {
    var samples = Rows(repeating: .zero)
    for y in 0..<4 {
      // Waves of even frequencies are the same from both ends, others change their sign.
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

  /// Returns whether some picture within the range may round to these samples, as far as their
  /// clamped part shows it.
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

  /// The first four places of each wave; the others mirror them.
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
