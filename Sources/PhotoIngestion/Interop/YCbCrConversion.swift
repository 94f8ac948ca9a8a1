import CAVCodec
import ImageContainers

/// From luma and chroma to RGB of as many bits (ITU-T H.273, 8.3), chroma repeated, in the arithmetic
/// of libheif 1.15, so that both ways of decoding a HEIC give the same pixels.
struct YCbCrConversion {
  private let matrix: petspot_matrix
  private let isFullRange: Bool
  private let exact: (Float, Float, Float, Float)
  private let bitDepth: Int

  /// Nil for a matrix that is no linear combination of luma and chroma we know.
  init?(_ matrix: HEVCPicture.Matrix, bitDepth: Int = 8) {
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
    self.matrix = petspot_matrix(
      red_from_red: Self.share(exact.0), green_from_blue: Self.share(exact.1),
      green_from_red: Self.share(exact.2), blue_from_blue: Self.share(exact.3))
    isFullRange = matrix.isFullRange
    self.bitDepth = bitDepth
  }

  private static func share(_ factor: Float) -> petspot_share {
    let scaled = Int32((65_536 * factor).rounded())
    let whole = (scaled + 32_768) >> 16
    return petspot_share(whole: Int16(whole), rest: Int16(scaled - whole << 16))
  }

  /// Converts one row of `count` pixels of 8 bits; `blue` and `red` hold a sample for every two of
  /// them.
  func convert(
    luma: UnsafePointer<UInt8>, blue: UnsafePointer<UInt8>, red: UnsafePointer<UInt8>, count: Int,
    into rgb: UnsafeMutablePointer<UInt8>
  ) {
    guard isFullRange else {
      return convert(luma: luma, blue: blue, red: red, halved: 1, count: count, into: rgb)
    }
    withUnsafePointer(to: matrix) { petspot_rgb_row($0, luma, blue, red, count, rgb) }
  }

  /// Converts one row of `count` pixels of any depth.
  ///
  /// - Parameter halved: how often the rows of `blue` and `red` are halved.
  @inline(__always)
  func convert<Sample: UnsignedInteger>(
    luma: UnsafePointer<Sample>, blue: UnsafePointer<Sample>, red: UnsafePointer<Sample>,
    halved: Int, count: Int, into rgb: UnsafeMutablePointer<Sample>
  ) {
    let middle = Float(1 << (bitDepth - 1))
    let full = Float(1 << bitDepth - 1)
    let black = isFullRange ? 0 : Float(16 << (bitDepth - 8))
    let (stretch, chromaStretch): (Float, Float) = isFullRange ? (1, 1) : (1.1689, 1.1429)
    func sample(_ value: Float) -> Sample { Sample(max(0, min(full, value + 0.5))) }
    for x in 0..<count {
      let y = (Float(luma[x]) - black) * stretch
      let cb = (Float(blue[x >> halved]) - middle) * chromaStretch
      let cr = (Float(red[x >> halved]) - middle) * chromaStretch
      let pixel = rgb + x * 3
      pixel[0] = sample(y + exact.0 * cr)
      pixel[1] = sample(y + exact.1 * cb + exact.2 * cr)
      pixel[2] = sample(y + exact.3 * cb)
    }
  }
}
