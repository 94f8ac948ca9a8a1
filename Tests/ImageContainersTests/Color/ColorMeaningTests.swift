import Testing

@testable import ImageContainers

@Suite struct ColorMeaningTests {
  private func converted(_ meaning: ColorMeaning) throws -> (profile: ICCProfile, name: String) {
    guard case .convert(let bytes, let name) = meaning else {
      throw Mismatch(meaning: meaning)
    }
    return (try #require(ICCProfile(bytes)), name)
  }

  private struct Mismatch: Error { let meaning: ColorMeaning }

  private static let sRGB = ICCBuilder.sRGB(curve: ICCBuilder.exactCurve).profile
  private static let linear = ICCBuilder.sRGB(curve: ICCBuilder.curve([])).profile
  private static let gray = ICCBuilder(
    colorSpace: "GRAY", tags: [("kTRC", ICCBuilder.curve([]))]
  ).profile
  private static let print = ICCBuilder(
    colorSpace: "CMYK", deviceClass: "prtr", pcs: "Lab ",
    tags: [("A2B0", Array("mft2".utf8) + [0, 0, 0, 0])]
  ).profile

  @Test func untaggedMeansSRGBButForInk() {
    for tag in [ColorTag.untagged, .sRGB] {
      for model in [ColorModel.gray, .rgb, .palette] { #expect(tag.meaning(for: model) == .sRGB) }
      #expect(tag.meaning(for: .cmyk) == .unusable(reason: "untagged-cmyk"))
    }
  }

  @Test(arguments: [
    (sRGB, ColorModel.rgb), (sRGB, .palette), (sRGB, .gray),
    (ICCBuilder(colorSpace: "GRAY", tags: [("kTRC", ICCBuilder.exactCurve)]).profile, .gray),
  ])
  func profilesThatSaySRGB(profile: [UInt8], model: ColorModel) {
    #expect(ColorTag.profile(profile).meaning(for: model) == .sRGB)
  }

  @Test(arguments: [
    (linear, ColorModel.rgb), (linear, .palette), (linear, .gray), (gray, .gray), (print, .cmyk),
  ])
  func profilesToConvertFrom(profile: [UInt8], model: ColorModel) {
    #expect(
      ColorTag.profile(profile).meaning(for: model)
        == .convert(profile: profile, name: "ICC profile"))
  }

  @Test(arguments: [
    (gray, ColorModel.rgb), (print, .rgb), (sRGB, .cmyk), (gray, .cmyk), (print, .gray),
  ])
  func profilesOfAnotherModel(profile: [UInt8], model: ColorModel) {
    #expect(
      ColorTag.profile(profile).meaning(for: model) == .unusable(reason: "profile-mismatch"))
  }

  @Test func brokenProfiles() {
    let noCurves = ICCBuilder().profile
    for profile in [[], [1, 2, 3], noCurves] {
      #expect(ColorTag.profile(profile).meaning(for: .rgb) == .unusable(reason: "broken-profile"))
    }
  }

  @Test func gammaBecomesAProfile() throws {
    let tag = ColorTag.primaries(.sRGB, gamma: 1)
    let meaning = try converted(tag.meaning(for: .rgb))
    #expect(meaning.profile.isUsable(components: 3))
    #expect(!meaning.profile.isSRGB)
    #expect(tag.meaning(for: .gray) == tag.meaning(for: .rgb))
    #expect(ColorTag.primaries(.sRGB, gamma: 0).meaning(for: .rgb) == .unusable(reason: "gamma"))
    #expect(
      ColorTag.primaries(.sRGB, gamma: 0.001).meaning(for: .rgb) == .unusable(reason: "gamma"))
    var line = ColorPrimaries.sRGB
    line.blue = line.red
    #expect(ColorTag.primaries(line, gamma: 0.5).meaning(for: .rgb) == .unusable(reason: "gamma"))
  }

  @Test func codePointsBecomeProfiles() throws {
    func tag(_ primaries: Int, _ transfer: Int) -> ColorTag {
      .codePoints(primaries: primaries, transfer: transfer, matrix: 0, fullRange: true)
    }
    for (primaries, transfer) in [(1, 13), (1, 1), (2, 2), (1, 6), (2, 13)] {
      #expect(tag(primaries, transfer).meaning(for: .rgb) == .sRGB)
    }
    #expect(try converted(tag(12, 13).meaning(for: .rgb)).name == "Display P3")
    #expect(tag(12, 13).meaning(for: .gray) == .sRGB, "gray has no primaries")
    #expect(try converted(tag(9, 8).meaning(for: .rgb)).name == "H.273 9/8")
    #expect(try converted(tag(12, 8).meaning(for: .rgb)).name == "H.273 12/8")
  }

  private static let unknown: [(Int, Int)] = [
    (3, 13), (1, 255), (-1, 13), (0, 13), (1, 0), (1, 3), (13, 13), (1, 19), (3, 16),
  ]

  @Test(arguments: unknown)
  func unknownCodePointsAreNotTakenForSRGB(_ primaries: Int, _ transfer: Int) {
    for model in [ColorModel.rgb, .gray, .palette] {
      let tag = ColorTag.codePoints(
        primaries: primaries, transfer: transfer, matrix: 0, fullRange: true)
      #expect(tag.meaning(for: model) == .unknown)
      #expect(tag.meaning(for: model).colors == nil)
    }
  }

  @Test(arguments: [3, 8, 10, 11, 12, 13, 14, 15, 255])
  func unknownMatricesAreNotTakenForSRGB(_ matrix: Int) {
    let tag = ColorTag.codePoints(primaries: 1, transfer: 13, matrix: matrix, fullRange: true)
    #expect(tag.meaning(for: .rgb) == .unknown)
  }

  @Test(arguments: [1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 22])
  func everyPrimariesWithEveryCurveAreUsable(_ primaries: Int) throws {
    for transfer in Array(4...15) + [1, 17] {
      let tag = ColorTag.codePoints(
        primaries: primaries, transfer: transfer, matrix: 0, fullRange: true)
      let meaning = tag.meaning(for: .rgb)
      if meaning == .sRGB {
        #expect(primaries == 1 && ICCTransfer(codePoint: transfer) == .sRGB)
      } else {
        let profile = try converted(meaning).profile
        #expect(profile.srgbConversion() != nil, "\(primaries)/\(transfer)")
      }
    }
  }

  @Test(arguments: [
    (9, 16, "BT.2020 PQ"), (9, 18, "BT.2020 HLG"), (2, 16, "BT.2020 PQ"), (12, 16, "Display P3 PQ"),
    (1, 18, "BT.709 HLG"), (5, 16, "PQ"),
  ])
  func highDynamicRangeByCodePoints(_ primaries: Int, _ transfer: Int, _ name: String) throws {
    let tag = ColorTag.codePoints(
      primaries: primaries, transfer: transfer, matrix: 9, fullRange: false)
    let colors = try hdr(tag.meaning(for: .rgb))
    #expect(colors.name == name)
    #expect(SourceColors.hdr(colors).exceedsSRGB == (primaries != 1))
  }

  private func hdr(_ meaning: ColorMeaning) throws -> HDRColors {
    guard case .toneMap(let colors) = meaning else { throw Mismatch(meaning: meaning) }
    return colors
  }

  @Test func highDynamicRangeByProfiles() throws {
    let tag = Array("cicp".utf8) + [0, 0, 0, 0, 9, 16, 0, 1]
    var builder = ICCBuilder.sRGB(curve: ICCBuilder.exactCurve)
    builder.tags.append(("cicp", tag))
    #expect(try hdr(ColorTag.profile(builder.profile).meaning(for: .rgb)).name == "BT.2020 PQ")
    // Tables have no effect if the tag is present.
    builder.tags.append(("A2B0", [UInt8](repeating: 0, count: 32)))
    #expect(try hdr(ColorTag.profile(builder.profile).meaning(for: .rgb)).name == "BT.2020 PQ")
    // A tag for an ordinary curve doesn't change the profile.
    var plain = ICCBuilder.sRGB(curve: ICCBuilder.exactCurve)
    plain.tags.append(("cicp", Array(tag.dropLast(4)) + [1, 13, 0, 1]))
    #expect(ColorTag.profile(plain.profile).meaning(for: .rgb) == .sRGB)
    for transfer in [HDRColors.Transfer.pq, .hlg] {
      let values = (0..<1024).map { UInt16((transfer.light(Double($0) / 1023) * 65_535).rounded()) }
      let curves = ICCBuilder.sRGB(curve: ICCBuilder.curve(values.map(Int.init))).profile
      let colors = try hdr(ColorTag.profile(curves).meaning(for: .rgb))
      #expect(colors == HDRColors(transfer: transfer, primaries: .sRGB))
    }
    for gamma in [1.0, 1.8, 2.2, 2.4, 2.6, 3, 5] {
      let profile = try #require(
        ICCProfile.matrixProfile(primaries: .bt2020, transfer: .gamma(gamma), name: "x"))
      _ = try converted(ColorTag.profile(profile).meaning(for: .rgb))
    }
  }
}

@Suite struct ICCWritingTests {
  private func tag(_ name: String, in profile: [UInt8]) -> [Double] {
    let count = Int(profile[131])
    for entry in stride(from: 132, to: 132 + count * 12, by: 12)
    where profile[entry..<entry + 4].elementsEqual(name.utf8) {
      let offset = profile[entry + 4..<entry + 8].reduce(0) { $0 << 8 | Int($1) }
      var reader = ByteReader(profile, in: offset + 8..<offset + 20)
      return [reader.fixed(), reader.fixed(), reader.fixed()].compactMap { $0 }
    }
    return []
  }

  /// Compares with the colorants of Apple's Display P3 profile.
  @Test func displayP3AgreesWithTheKnownOne() throws {
    let profile = try #require(
      ICCProfile.matrixProfile(primaries: .displayP3, transfer: .sRGB, name: "Display P3"))
    let known = [
      ("rXYZ", [0.51512, 0.24120, -0.00105]), ("gXYZ", [0.29198, 0.69225, 0.04189]),
      ("bXYZ", [0.15710, 0.06657, 0.78407]),
    ]
    for (name, values) in known {
      let written = tag(name, in: profile)
      #expect(written.count == 3)
      for (one, other) in zip(written, values) { #expect(abs(one - other) < 0.0001) }
    }
    #expect(ICCProfile(profile)?.name == "Display P3")
    #expect(ICCProfile(profile)?.isSRGB == false)
  }

  @Test func sRGBWrittenIsSRGB() throws {
    let profile = try #require(
      ICCProfile.matrixProfile(primaries: .sRGB, transfer: .sRGB, name: "sRGB"))
    #expect(ICCProfile(profile)?.isSRGB == true)
    #expect(profile.count % 4 == 0)
    #expect(
      profile == ICCProfile.matrixProfile(primaries: .sRGB, transfer: .sRGB, name: "sRGB"))
  }

  @Test(arguments: [ICCTransfer.gamma(2.2), .linear, .bt709])
  func otherCurvesAreUsable(transfer: ICCTransfer) throws {
    let bytes = try #require(
      ICCProfile.matrixProfile(primaries: .sRGB, transfer: transfer, name: "x"))
    let profile = try #require(ICCProfile(bytes))
    #expect(profile.isUsable(components: 3))
    #expect(!profile.isSRGB)
  }

  @Test func impossibleArgumentsGiveNothing() {
    var line = ColorPrimaries.sRGB
    line.green = line.red
    var dark = ColorPrimaries.sRGB
    dark.white = .init(0, 0)
    var endless = ColorPrimaries.sRGB
    endless.red = .init(.infinity, .nan)
    for primaries in [line, dark, endless] {
      #expect(
        ICCProfile.matrixProfile(primaries: primaries, transfer: .sRGB, name: "x") == nil)
    }
    for gamma in [0, -1, 100, Double.nan, .infinity] {
      #expect(
        ICCProfile.matrixProfile(primaries: .sRGB, transfer: .gamma(gamma), name: "x") == nil)
    }
  }
}
