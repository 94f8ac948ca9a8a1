/// The conversion that a picture's color values need to become sRGB.
package enum ColorMeaning: Sendable, Equatable {
  /// No conversion: the values are sRGB, apart from invisible differences.
  case sRGB
  /// A conversion from this ICC profile with this name.
  case convert(profile: [UInt8], name: String)
  /// A conversion from high dynamic range to the range of sRGB.
  case toneMap(HDRColors)
  /// The color tag can't be used. The reason is a stable word: `broken-profile`, `profile-mismatch`, `gamma` or
  /// `untagged-cmyk`.
  case unusable(reason: String)
  /// The code points are unknown, so the intended colors are lost.
  case unknown
}

extension ColorTag {
  /// Returns the conversion for a picture with this tag and color model. A palette counts as RGB.
  ///
  /// A gray picture may get an RGB profile, either its own or one made here. littlecms converts RGB with matrix and
  /// curve exactly, but is off by 10 of 255 for dark gray values with a steep curve. If the profile's color space is
  /// RGB, the caller must expand the picture to RGB before it converts.
  package func meaning(for model: ColorModel) -> ColorMeaning {
    switch self {
    case .untagged, .sRGB:
      return model == .cmyk ? .unusable(reason: "untagged-cmyk") : .sRGB
    case .profile(let bytes):
      return Self.meaning(ofProfile: bytes, for: model)
    case .primaries(let primaries, let gamma):
      guard gamma > 0 else { return .unusable(reason: "gamma") }
      return Self.meaning(
        primaries, .gamma(1 / gamma), for: model, name: "PNG gAMA", failure: "gamma")
    case .codePoints(let primaries, let transfer, let matrix, _):
      // All other matrices don't derive red, green and blue from luma and chroma by fixed weights.
      guard [0, 1, 2, 4, 5, 6, 7, 9].contains(matrix) else { return .unknown }
      if let colors = HDRColors(primaries: primaries, transfer: transfer), model != .cmyk {
        return .toneMap(colors)
      }
      guard let colors = ColorPrimaries(codePoint: primaries),
        let curve = ICCTransfer(codePoint: transfer)
      else { return .unknown }
      let name =
        colors == .displayP3 && curve == .sRGB
        ? "Display P3" : "H.273 \(primaries)/\(transfer)"
      return Self.meaning(colors, curve, for: model, name: name, failure: "code-points")
    }
  }

  private static func meaning(
    ofProfile bytes: [UInt8], for model: ColorModel
  ) -> ColorMeaning {
    guard let profile = ICCProfile(bytes) else { return .unusable(reason: "broken-profile") }
    let fits =
      switch model {
      case .gray: [.gray, .rgb].contains(profile.colorSpace)
      case .rgb, .palette: profile.colorSpace == .rgb
      case .cmyk: profile.colorSpace == .cmyk
      }
    guard fits else { return .unusable(reason: "profile-mismatch") }
    if let colors = profile.hdrColors { return .toneMap(colors) }
    if profile.isSRGB || profile.isGrayWithSRGBCurve { return .sRGB }
    guard profile.isUsable(components: profile.colorSpace.channels) else {
      return .unusable(reason: "broken-profile")
    }
    return .convert(profile: bytes, name: profile.name ?? "ICC profile")
  }

  private static func meaning(
    _ primaries: ColorPrimaries, _ transfer: ICCTransfer, for model: ColorModel, name: String,
    failure: String
  ) -> ColorMeaning {
    guard model != .cmyk else { return .unusable(reason: failure) }
    // Gray has no primaries, only a curve. Its white stays white.
    let primaries = model == .gray ? .sRGB : primaries
    if transfer == .sRGB, primaries == .sRGB { return .sRGB }
    // The numbers of a profile have 16 bits before the point, so extreme chromaticities don't fit.
    guard
      let profile = ICCProfile.matrixProfile(
        primaries: primaries, transfer: transfer, name: name),
      ICCProfile(profile)?.isUsable(components: 3) == true
    else { return .unusable(reason: failure) }
    return .convert(profile: profile, name: name)
  }
}

extension ColorMeaning {
  /// The colors to convert from, or `nil` if the pixels are used as sRGB.
  package var colors: SourceColors? {
    switch self {
    case .convert(let profile, _): .profile(profile)
    case .toneMap(let colors): .hdr(colors)
    case .sRGB, .unusable, .unknown: nil
    }
  }
}

extension HDRColors {
  /// Creates colors from code points of ITU-T H.273, or returns `nil` if they don't describe high dynamic range.
  /// Unspecified primaries become those of BT.2020, for which both curves were designed.
  init?(primaries: Int, transfer: Int) {
    guard let curve = Transfer(codePoint: transfer) else { return nil }
    guard let colors = primaries == 2 ? .bt2020 : ColorPrimaries(codePoint: primaries) else {
      return nil
    }
    self.init(transfer: curve, primaries: colors)
  }
}
