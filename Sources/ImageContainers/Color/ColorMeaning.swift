/// What has to be done to a picture's color values to make them sRGB.
public enum ColorMeaning: Sendable, Equatable {
  /// Nothing: the values are sRGB already, within what a person can see.
  case sRGB
  /// A conversion from this ICC profile, known by this name.
  case convert(profile: [UInt8], name: String)
  /// The tag cannot be used; a stable word says why: `broken-profile`, `profile-mismatch`,
  /// `code-points`, `gamma`, `untagged-cmyk`.
  case unusable(reason: String)
}

extension ColorTag {
  /// Judges the tag for a picture of this color model; a palette counts as RGB.
  ///
  /// A gray picture may get an RGB profile: its own, or one made here, because littlecms converts
  /// RGB of matrix and curve exactly, but strays by 10 of 255 on dark gray values of a steep curve.
  /// When `ICCProfile(_:)` says RGB, the caller has to make the picture RGB before it converts.
  public func meaning(for model: ColorModel) -> ColorMeaning {
    switch self {
    case .untagged, .sRGB:
      return model == .cmyk ? .unusable(reason: "untagged-cmyk") : .sRGB
    case .profile(let bytes):
      return Self.meaning(ofProfile: bytes, for: model)
    case .primaries(let primaries, let gamma):
      guard gamma > 0 else { return .unusable(reason: "gamma") }
      return Self.meaning(
        primaries, .gamma(1 / gamma), for: model, name: "PNG gAMA", failure: "gamma")
    case .codePoints(let primaries, let transfer, _, _):
      guard let colors = ColorPrimaries(codePoint: primaries),
        let curve = ICCTransfer(codePoint: transfer)
      else { return .unusable(reason: "code-points") }
      let name = colors == .displayP3 ? "Display P3" : "H.273 \(primaries)/\(transfer)"
      return Self.meaning(colors, curve, for: model, name: name, failure: "code-points")
    }
  }

  private static func meaning(
    ofProfile bytes: [UInt8], for model: ColorModel
  ) -> ColorMeaning {
    guard let profile = ICCProfile(bytes) else { return .unusable(reason: "broken-profile") }
    if profile.isSRGB, model != .cmyk { return .sRGB }
    if profile.isGrayWithSRGBCurve, model == .gray { return .sRGB }
    let fits =
      switch model {
      case .gray: [.gray, .rgb].contains(profile.colorSpace)
      case .rgb, .palette: profile.colorSpace == .rgb
      case .cmyk: profile.colorSpace == .cmyk
      }
    guard fits else { return .unusable(reason: "profile-mismatch") }
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
