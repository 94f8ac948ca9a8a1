import Testing

@testable import ImageContainers

private typealias Build = PNGBuilder

@Suite struct PNGColorTests {
  private func facts(_ chunks: [UInt8]...) throws -> ImageFacts {
    try PNGContainer.parse(
      Build.file(Build.header(), chunks.flatMap { $0 }, Build.data(), Build.end))
  }

  private func primaries(_ values: [Int]) -> [UInt8] {
    Build.chunk("cHRM", values.flatMap(Build.big))
  }

  private let sRGB = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000]
  private let adobe = [31_270, 32_900, 64_000, 33_000, 21_000, 71_000, 15_000, 6_000]
  private let gamma = Build.chunk("gAMA", Build.big(45_455))
  private let profile = Build.chunk("iCCP", Array("x".utf8) + [0, 0] + Build.zlib([1, 2, 3]))

  @Test func theMostPreciseTagCounts() throws {
    let p3 = Build.chunk("cICP", [12, 13, 0, 1])
    let marker = Build.chunk("sRGB", [1])
    #expect(
      try facts(marker, profile, p3).colorTag
        == .codePoints(primaries: 12, transfer: 13, matrix: 0, fullRange: true))
    #expect(try facts(Build.chunk("cICP", [1, 13, 0, 1]), profile).colorTag == .sRGB)
    #expect(try facts(marker, profile, gamma).colorTag == .profile([1, 2, 3]))
    #expect(try facts(Build.chunk("gAMA", Build.big(100_000)), marker).colorTag == .sRGB)
  }

  @Test func gammaAndPrimariesOfSRGBAreSRGB() throws {
    #expect(try facts(gamma).colorTag == .sRGB)
    #expect(try facts(Build.chunk("gAMA", Build.big(45_000))).colorTag == .sRGB)
    #expect(try facts(gamma, primaries(sRGB)).colorTag == .sRGB)
  }

  @Test func otherGammaAndPrimariesAreTold() throws {
    #expect(
      try facts(Build.chunk("gAMA", Build.big(100_000)), primaries(sRGB)).colorTag
        == .primaries(.sRGB, gamma: 1))
    var expected = ColorPrimaries.sRGB
    expected.green = .init(0.21, 0.71)
    #expect(
      try facts(gamma, primaries(adobe)).colorTag == .primaries(expected, gamma: 0.45455))
  }

  @Test func whatSaysNothingIsUntagged() throws {
    #expect(try facts(Build.chunk("gAMA", Build.big(0))).colorTag == .untagged)
    #expect(try facts(primaries(adobe)).colorTag == .untagged)
    #expect(try facts(Build.chunk("sRGB", [4])).colorTag == .untagged)
    #expect(try facts(Build.chunk("cICP", [12, 13, 1, 1])).colorTag == .untagged)
    #expect(
      try facts(gamma, primaries([0, 0, 0, 0, 0, 0, 0, 0])).colorTag == .sRGB,
      "impossible primaries count as absent")
  }

  @Test(
    "As in browsers, all chunks except cICP may follow the palette, and none may follow the data")
  func orderOfColorChunks() throws {
    let palette = Build.chunk("PLTE", [1, 2, 3])
    let points = Build.chunk("cICP", [12, 13, 0, 1])
    #expect(try facts(palette, profile).colorTag == facts(profile).colorTag)
    #expect(try facts(profile).colorTag != .untagged)
    #expect(try facts(palette, Build.chunk("sRGB", [0])).colorTag == .sRGB)
    #expect(
      try facts(gamma, palette, primaries(adobe)).colorTag
        == facts(gamma, primaries(adobe)).colorTag)
    #expect(try facts(palette, points).colorTag == .untagged)
    #expect(try facts(palette, points, profile).colorTag == facts(profile).colorTag)
    #expect(try facts(Build.data(), profile).colorTag == .untagged)
  }

  @Test func damagedProfilesAreLeftAside() throws {
    let broken = try facts(Build.chunk("iCCP", Array("x".utf8) + [0, 0, 0x78, 1, 9, 9, 9, 9, 9]))
    #expect(broken.colorTag == .untagged)
    #expect(broken.oddities == ["broken-profile"])
    let nameless = try facts(Build.chunk("iCCP", [UInt8](repeating: 65, count: 200)))
    #expect(nameless.oddities == ["broken-profile"])
    // The chunk ends after the name, or after the compression method.
    for end in [[0], [0, 0]] as [[UInt8]] {
      #expect(
        try facts(Build.chunk("iCCP", Array("x".utf8) + end)).oddities == ["broken-profile"])
    }
  }

  @Test func aProfileBombStopsAtTheLimit() throws {
    let facts = try facts(
      Build.chunk("iCCP", Array("x".utf8) + [0, 0] + InflateTests.zeros(megabytes: 5)))
    #expect(facts.colorTag == .untagged)
    #expect(facts.oddities == ["oversized-profile"])
  }

  @Test func cleanKeepsTheMarkerOnlyWhereItHolds() throws {
    let marker = Build.chunk("sRGB", [1])
    let plain = Build.file(Build.header(), Build.data(), Build.end)
    let marked = Build.file(Build.header(), marker, Build.data(), Build.end)
    #expect(
      try PNGContainer.clean(
        Build.file(Build.header(), gamma, marker, primaries(sRGB), Build.data(), Build.end))
        == marked)
    #expect(
      try PNGContainer.clean(
        Build.file(Build.header(), marker, profile, Build.data(), Build.end)) == plain)
    #expect(
      try PNGContainer.clean(Build.file(Build.header(), gamma, Build.data(), Build.end)) == plain)
  }
}
