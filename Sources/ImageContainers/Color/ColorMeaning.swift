/// What has to be done to a picture's color values to make them sRGB.
package enum ColorMeaning: Sendable, Equatable {
  /// Nothing: the values are sRGB already, within what a person can see.
  case sRGB
  /// A conversion from this ICC profile, known by this name.
  case convert(profile: [UInt8], name: String)
  /// High dynamic range becomes that of sRGB.
  case toneMap(HDRColors)
  /// The tag cannot be used; a stable word says why: `broken-profile`, `profile-mismatch`, `gamma`,
  /// `untagged-cmyk`.
  case unusable(reason: String)
  /// Code points that we do not know: what the colors are meant to be is lost.
  case unknown
}

extension ColorTag {
  /// Judges the tag for a picture of this color model; a palette counts as RGB.
  ///
  /// A gray picture may get an RGB profile: its own, or one made here, because littlecms converts
  /// RGB of matrix and curve exactly, but strays by 10 of 255 on dark gray values of a steep curve.
  /// When `ICCProfile(_:)` says RGB, the caller has to make the picture RGB before it converts.
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
      // Others than these make no red, green and blue by weights of luma and chroma.
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
    // Gray has no primaries: what it has is a curve, and its white stays white.
    let primaries = model == .gray ? .sRGB : primaries
    if transfer == .sRGB, primaries == .sRGB { return .sRGB }
    // Numbers of a profile have 16 bits before the point: far-off chromaticities do not fit.
    guard
      let profile = ICCProfile.matrixProfile(
        primaries: primaries, transfer: transfer, name: name),
      ICCProfile(profile)?.isUsable(components: 3) == true
    else { return .unusable(reason: failure) }
    return .convert(profile: profile, name: name)
  }
}

extension ColorMeaning {
  /// What pixels have to be converted from; nil when they are taken for sRGB.
  package var colors: SourceColors? {
    switch self {
    case .convert(let profile, _): .profile(profile)
    case .toneMap(let colors): .hdr(colors)
    case .sRGB, .unusable, .unknown: nil
    }
  }
}

extension HDRColors {
  /// Nil for code points of ITU-T H.273 that are not those of a high dynamic range. Primaries that are
  /// not specified are those of BT.2020, for which both curves were made.
  init?(primaries: Int, transfer: Int) {
    guard let curve = Transfer(codePoint: transfer) else { return nil }
    guard let colors = primaries == 2 ? .bt2020 : ColorPrimaries(codePoint: primaries) else {
      return nil
    }
    self.init(transfer: curve, primaries: colors)
  }
}
