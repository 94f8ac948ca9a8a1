import CAVCodec
import ImageContainers

/// Converts luma and chroma to RGB with the same number of bits (ITU-T H.273, 8.3), repeating chroma. Uses the
/// arithmetic of libheif 1.15, so that both ways of decoding a HEIC produce the same pixels.
struct YCbCrConversion {
  private let matrix: petspot_matrix
  private let any: petspot_any_matrix
  /// `true` if samples have 8 bits in full range, as phones write them.
  let isOrdinary: Bool
  /// `true` if the planes are already green, blue and red, each with a sample per pixel.
  let isRGB: Bool

  /// Creates a conversion. `nil` if the matrix is not a known linear combination of luma and chroma.
  init?(_ matrix: HEVCPicture.Matrix, bitDepth: Int = 8) {
    // Kr and Kb. Unspecified means BT.601.
    let weights: (red: Float, blue: Float)
    switch matrix.coefficients {
    case 8, 10...14: return nil
    case 1: weights = (0.2126, 0.0722)
    case 4: weights = (0.30, 0.11)
    case 7: weights = (0.212, 0.087)
    case 9: weights = (0.2627, 0.0593)
    default: weights = (0.299, 0.114)
    }
    let (kr, kb) = weights
    let factors = (
      2 * (1 - kr), 2 * kb * (1 - kb) / (kb + kr - 1), 2 * kr * (1 - kr) / (kb + kr - 1),
      2 * (1 - kb)
    )
    self.matrix = petspot_matrix(
      red_from_red: Self.share(factors.0), green_from_blue: Self.share(factors.1),
      green_from_red: Self.share(factors.2), blue_from_blue: Self.share(factors.3))
    isRGB = matrix.coefficients == 0
    let isFull = matrix.isFullRange
    any = petspot_any_matrix(
      red_from_red: factors.0, green_from_blue: factors.1, green_from_red: factors.2,
      blue_from_blue: factors.3, black: isFull ? 0 : Float(16 << (bitDepth - 8)),
      luma_stretch: isFull ? 1 : 1.1689, middle: Float(1 << (bitDepth - 1)),
      chroma_stretch: isFull ? 1 : 1.1429, full: Float(1 << bitDepth - 1))
    isOrdinary = bitDepth == 8 && isFull && !isRGB
  }

  private static func share(_ factor: Float) -> petspot_share {
    let scaled = Int32((65_536 * factor).rounded())
    let whole = (scaled + 32_768) >> 16
    return petspot_share(whole: Int16(whole), rest: Int16(scaled - whole << 16))
  }

  /// Converts one row of `count` ordinary pixels. `blue` and `red` contain one sample for every two pixels.
  func convert(
    luma: UnsafePointer<UInt8>, blue: UnsafePointer<UInt8>, red: UnsafePointer<UInt8>, count: Int,
    into rgb: UnsafeMutablePointer<UInt8>
  ) {
    withUnsafePointer(to: matrix) { petspot_rgb_row($0, luma, blue, red, count, rgb) }
  }

  /// Converts one row of `count` pixels with any kind of samples.
  ///
  /// - Parameters:
  ///   - blue: `nil`, like `red`, for gray.
  ///   - sampleBytes: 1 or 2, little-endian.
  ///   - halved: the number of times that the width of `blue` and `red` is halved.
  func convert(
    luma: UnsafeRawPointer, blue: UnsafeRawPointer?, red: UnsafeRawPointer?, sampleBytes: Int,
    halved: Int, count: Int, into rgb: UnsafeMutablePointer<UInt16>
  ) {
    withUnsafePointer(to: any) {
      if isRGB, let blue, let red {
        return petspot_gbr_row($0, luma, blue, red, Int32(sampleBytes), count, rgb)
      }
      petspot_any_row($0, luma, blue, red, Int32(sampleBytes), Int32(halved), count, rgb)
    }
  }
}
