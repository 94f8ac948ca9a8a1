/// Detects hidden detail in the samples of a macroblock outside of the visible range (decision 38).
///
/// Encoders start from luma between 16 and 235 and chroma between 16 and 240, and decoders show no values beyond (ITU-R
/// BT.601). Samples beyond result from the rounding of coefficients, as in `JPEGProofDetail`. Let e be the excess and E
/// its coefficients. A picture within the range can round to these samples only if the energy of e is at most the sum
/// of |E| times half a step, or a whole step with libwebp's rounding.
///
/// 60 photos that libwebp encoded at nine qualities reach 0.42 of the sum of whole steps; text, noise and edges in pure
/// colors reach 0.98. A pattern of single steps beyond white is at least 1.19.
struct VP8ProofDetail {
  private(set) var isHidden = false
  /// The maximum energy of an excess, as a fraction of the sum.
  private static let bound: Float = 1.15

  /// The coding of a plane's blocks.
  enum Kind {
    /// The DCs of the 16 blocks are in a separate block.
    case luma
    /// Each block has its own DC.
    case blocks, chroma
  }

  /// Checks a plane of a macroblock.
  ///
  /// - Parameters:
  ///   - samples: the samples before clamping.
  ///   - blocks: the number of blocks along each side.
  mutating func checkPlane(
    _ samples: UnsafeMutablePointer<Int16>, blocks: Int, _ steps: VP8ProofSteps, _ kind: Kind
  ) {
    let (low, high): (Int16, Int16) = kind == .chroma ? (16, 240) : (16, 235)
    let count = blocks * blocks * 16
    var least = SIMD16<Int16>(repeating: .max), most = SIMD16<Int16>(repeating: .min)
    for start in stride(from: 0, to: count, by: 16) {
      let some = UnsafeRawPointer(samples + start).loadUnaligned(as: SIMD16<Int16>.self)
      least.replace(with: some, where: some .< least)
      most.replace(with: some, where: some .> most)
    }
    let lowest = least.min()
    let highest = most.max()
    guard highest > high + 2 || lowest < low - 2 else { return }

    let step = kind == .chroma ? steps.chroma : steps.luma
    var energy: Float = 0
    var sum: Float = 0
    var averages = InlineArray<16, Float>(repeating: 0)
    for block in 0..<blocks * blocks {
      let x = block % blocks * 4
      let y = block / blocks * 4
      var rows = InlineArray<4, SIMD4<Float>>(repeating: .zero)
      for row in 0..<4 {
        let some = UnsafeRawPointer(samples + (y + row) * blocks * 4 + x)
          .loadUnaligned(as: SIMD4<Int16>.self)
        let excess =
          some
          &- some.clamped(
            lowerBound: SIMD4(repeating: low), upperBound: SIMD4(repeating: high))
        rows[row] = SIMD4<Float>(excess)
        energy += (rows[row] * rows[row]).sum()
      }
      // The transform of rows and columns.
      for v in 0..<4 {
        var across = SIMD4<Float>.zero
        for row in 0..<4 { across += rows[row] * Self.waves[v][row] }
        for u in 0..<4 {
          let value = (across * Self.waves[u]).sum()
          if u == 0, v == 0 {
            averages[block] = value
          } else {
            sum += abs(value) * Float(step.y) / 2
          }
        }
      }
    }
    if kind == .luma {
      for u in 0..<16 {
        var value: Float = 0
        for block in 0..<16 {
          value += (u & block).nonzeroBitCount % 2 == 0 ? averages[block] : -averages[block]
        }
        sum += abs(value / 4) * Float(u == 0 ? steps.lumaDC.x : steps.lumaDC.y) / 4
      }
    } else {
      for block in 0..<blocks * blocks { sum += abs(averages[block]) * Float(step.x) / 2 }
    }
    if energy > Self.bound * sum { isHidden = true }
  }

  private static let waves: [SIMD4<Float>] = [
    [0.5, 0.5, 0.5, 0.5], [0.653281482, 0.270598050, -0.270598050, -0.653281482],
    [0.5, -0.5, -0.5, 0.5], [0.270598050, -0.653281482, 0.653281482, -0.270598050],
  ]
}
