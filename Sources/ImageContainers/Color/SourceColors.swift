/// Colors other than sRGB, and their conversion.
package enum SourceColors: Sendable, Equatable {
  /// The colors of an ICC profile.
  case profile([UInt8])
  /// The colors of high dynamic range.
  case hdr(HDRColors)

  /// Returns the conversion to sRGB, or `nil` if it needs littlecms. That is the case for all profiles except RGB with
  /// matrix and curves.
  ///
  /// - Parameter bitDepth: the bits of the values to convert, 8 to 16, or at most 12 for a profile.
  package func conversion(bitDepth: Int = 8) -> (any ColorConversion)? {
    switch self {
    case .profile(let bytes): ICCProfile(bytes)?.srgbConversion(bitDepth: bitDepth)
    case .hdr(let colors): HDRConversion(colors, bitDepth: bitDepth)
    }
  }

  /// `true` if there can be colors outside of sRGB, apart from their brightness.
  package var exceedsSRGB: Bool {
    switch self {
    case .profile(let bytes): ICCProfile(bytes)?.exceedsSRGB == true
    case .hdr(let colors): colors.primaries.colorants?.exceedsSRGB == true
    }
  }
}

/// A conversion of pixels to sRGB. It works on rows of any length.
package protocol ColorConversion: Sendable {
  /// Converts `count` pixels of three 8-bit values in place.
  func convert(_ pixels: UnsafeMutablePointer<UInt8>, count: Int)
  /// Converts `count` pixels of three values to three bytes each. The values have more than 8 bits, but never more than
  /// the declared bit depth.
  func convert(
    _ values: UnsafePointer<UInt16>, count: Int, into pixels: UnsafeMutablePointer<UInt8>)
}
