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
    for pair in 0..<count / 2 {
      let (r, g, b) = chroma(blue[pair], red[pair])
      put(Int32(luma[pair &* 2]), r, g, b, into: output)
      put(Int32(luma[pair &* 2 &+ 1]), r, g, b, into: output + 3)
      output += 6
    }
    if count % 2 == 1 {
      let (r, g, b) = chroma(blue[count / 2], red[count / 2])
      put(Int32(luma[count - 1]), r, g, b, into: output)
    }
  }

  @inline(__always)
  private func chroma(_ blue: UInt8, _ red: UInt8) -> (Int32, Int32, Int32) {
    let (cb, cr) = (Int32(blue) &- 128, Int32(red) &- 128)
    return (
      (redFromRed &* cr &+ 32_768) >> 16,
      (greenFromBlue &* cb &+ greenFromRed &* cr &+ 32_768) >> 16,
      (blueFromBlue &* cb &+ 32_768) >> 16
    )
  }

  @inline(__always)
  private func put(
    _ y: Int32, _ r: Int32, _ g: Int32, _ b: Int32, into output: UnsafeMutablePointer<UInt8>
  ) {
    output[0] = Self.clipped(y &+ r)
    output[1] = Self.clipped(y &+ g)
    output[2] = Self.clipped(y &+ b)
  }

  @inline(__always)
  private static func clipped(_ value: Int32) -> UInt8 {
    UInt8(truncatingIfNeeded: max(0, min(255, value)))
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
