/// Colors that are not sRGB's, and how they become so.
package enum SourceColors: Sendable, Equatable {
  /// Those of an ICC profile.
  case profile([UInt8])
  /// Those of high dynamic range.
  case hdr(HDRColors)

  /// Returns the conversion to sRGB; nil for what only littlecms can read: all but RGB of matrix
  /// and curves.
  ///
  /// - Parameter bitDepth: bits of the values that are converted, 8 to 16; at most 12 for a profile.
  package func conversion(bitDepth: Int = 8) -> (any ColorConversion)? {
    switch self {
    case .profile(let bytes): ICCProfile(bytes)?.srgbConversion(bitDepth: bitDepth)
    case .hdr(let colors): HDRConversion(colors, bitDepth: bitDepth)
    }
  }

  /// Whether they can be such that sRGB lacks, however bright.
  package var exceedsSRGB: Bool {
    switch self {
    case .profile(let bytes): ICCProfile(bytes)?.exceedsSRGB == true
    case .hdr(let colors): colors.primaries.colorants?.exceedsSRGB == true
    }
  }
}

/// Makes the values of pixels sRGB; for rows of any length.
package protocol ColorConversion: Sendable {
  /// Converts `count` pixels of three bytes in place; for 8-bit values.
  func convert(_ pixels: UnsafeMutablePointer<UInt8>, count: Int)
  /// Converts `count` pixels of three values to three bytes each; for values of more than 8 bits,
  /// none of which has more than was said.
  func convert(
    _ values: UnsafePointer<UInt16>, count: Int, into pixels: UnsafeMutablePointer<UInt8>)
}
