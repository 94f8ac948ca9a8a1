import ImageContainers

/// From 8-bit luma and halved chroma to RGB (ITU-T H.273, 8.3), chroma repeated, in the arithmetic
/// of libheif 1.15, so that both ways of decoding a HEIC give the same pixels.
struct YCbCrConversion {
  /// What a step of chroma adds, times 65,536.
  private let redFromRed, greenFromBlue, greenFromRed, blueFromBlue: Int32
  private let isFullRange: Bool
  private let exact: (Float, Float, Float, Float)

  /// Nil for a matrix that is no linear combination of luma and chroma we know.
  init?(_ matrix: HEVCPicture.Matrix) {
    // Kr and Kb; unspecified means BT.601.
    let weights: (red: Float, blue: Float)
    switch matrix.coefficients {
    case 0, 8, 10...14: return nil
    case 1: weights = (0.2126, 0.0722)
    case 4: weights = (0.30, 0.11)
    case 7: weights = (0.212, 0.087)
    case 9: weights = (0.2627, 0.0593)
    default: weights = (0.299, 0.114)
    }
    let (kr, kb) = weights
    exact = (
      2 * (1 - kr), 2 * kb * (1 - kb) / (kb + kr - 1), 2 * kr * (1 - kr) / (kb + kr - 1),
      2 * (1 - kb)
    )
    redFromRed = Int32((65_536 * exact.0).rounded())
    greenFromBlue = Int32((65_536 * exact.1).rounded())
    greenFromRed = Int32((65_536 * exact.2).rounded())
    blueFromBlue = Int32((65_536 * exact.3).rounded())
    isFullRange = matrix.isFullRange
  }

  /// Converts one row of `count` pixels; `blue` and `red` hold a sample for every two of them.
  func convert(
    luma: UnsafePointer<UInt8>, blue: UnsafePointer<UInt8>, red: UnsafePointer<UInt8>, count: Int,
    into rgb: UnsafeMutablePointer<UInt8>
  ) {
    guard isFullRange else {
      return convertLimited(luma: luma, blue: blue, red: red, count: count, into: rgb)
    }
    var output = rgb
    Self.clipped.withUnsafeBufferPointer { table in
      let clipped = table.baseAddress! + Self.reach
      for pair in 0..<count / 2 {
        let chroma = chroma(blue[pair], red[pair])
        put(luma[pair &* 2], chroma, clipped, into: output)
        put(luma[pair &* 2 &+ 1], chroma, clipped, into: output + 3)
        output += 6
      }
      if count % 2 == 1 {
        put(luma[count - 1], chroma(blue[count / 2], red[count / 2]), clipped, into: output)
      }
    }
  }

  /// The most that chroma takes away, and adds.
  private static let reach = 512

  /// Each sum of luma and chroma as a sample: a look into a table is faster than two comparisons.
  private static let clipped = (-reach...255 + reach).map { UInt8(max(0, min(255, $0))) }

  @inline(__always)
  private func chroma(_ blue: UInt8, _ red: UInt8) -> (Int, Int, Int) {
    let (cb, cr) = (Int32(blue) &- 128, Int32(red) &- 128)
    return (
      Int((redFromRed &* cr &+ 32_768) >> 16),
      Int((greenFromBlue &* cb &+ greenFromRed &* cr &+ 32_768) >> 16),
      Int((blueFromBlue &* cb &+ 32_768) >> 16)
    )
  }

  @inline(__always)
  private func put(
    _ luma: UInt8, _ chroma: (Int, Int, Int), _ clipped: UnsafePointer<UInt8>,
    into output: UnsafeMutablePointer<UInt8>
  ) {
    output[0] = clipped[Int(luma) &+ chroma.0]
    output[1] = clipped[Int(luma) &+ chroma.1]
    output[2] = clipped[Int(luma) &+ chroma.2]
  }

  private func convertLimited(
    luma: UnsafePointer<UInt8>, blue: UnsafePointer<UInt8>, red: UnsafePointer<UInt8>, count: Int,
    into rgb: UnsafeMutablePointer<UInt8>
  ) {
    for x in 0..<count {
      let y = (Float(luma[x]) - 16) * 1.1689
      let cb = (Float(blue[x / 2]) - 128) * 1.1429
      let cr = (Float(red[x / 2]) - 128) * 1.1429
      for (channel, value) in [
        y + exact.0 * cr, y + exact.1 * cb + exact.2 * cr, y + exact.3 * cb,
      ].enumerated() {
        rgb[x * 3 + channel] = UInt8(max(0, min(255, value + 0.5)))
      }
    }
  }
}
