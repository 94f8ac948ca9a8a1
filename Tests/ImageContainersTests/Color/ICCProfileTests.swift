import Testing

@testable import ImageContainers

private typealias Build = ICCBuilder

@Suite struct ICCProfileTests {
  @Test func readsTheHeader() throws {
    let profile = try #require(ICCProfile(Build.sRGB(curve: Build.exactCurve).profile))
    #expect(profile.colorSpace == .rgb)
    #expect(profile.deviceClass == .display)
    #expect(profile.pcs == .xyz)
    #expect(profile.isUsable(components: 3))
    #expect(!profile.isUsable(components: 1))
    #expect(!profile.isUsable(components: 4))
  }

  @Test func refusesWhatIsNoProfile() {
    let good = Build.sRGB(curve: Build.exactCurve)
    #expect(ICCProfile([]) == nil)
    #expect(ICCProfile([UInt8](repeating: 0, count: 200)) == nil)
    for change: (inout ICCBuilder) -> Void in [
      { $0.signature = "acsq" }, { $0.sizeError = 1 }, { $0.version = 5 }, { $0.version = 0 },
      { $0.claimedTags = 101 }, { $0.claimedTags = 80 }, { $0.claimedTags = 0xFFFF_FFFF },
    ] {
      var changed = good
      change(&changed)
      #expect(ICCProfile(changed.profile) == nil)
    }
  }

  @Test func bytesAfterTheProfileDoNotMatter() {
    #expect(ICCProfile(Build.sRGB(curve: Build.exactCurve).profile + [1, 2, 3]) != nil)
  }

  @Test func aTagOutsideIsAbsent() throws {
    var bytes = Build.sRGB(curve: Build.exactCurve).profile
    // The offset of the second tag, rXYZ.
    bytes.replaceSubrange(132 + 12 + 4..<132 + 12 + 8, with: [0x7F, 0xFF, 0xFF, 0xFF])
    let profile = try #require(ICCProfile(bytes))
    #expect(!profile.isUsable(components: 3))
    #expect(!profile.isSRGB)
  }

  @Test func contentDecidesWhatIsSRGB() throws {
    let table = (0..<1_024).map { step in
      Int((ToneCurve.sRGB.light(Double(step) / 1_023) * 65_535).rounded())
    }
    for curve in [Build.exactCurve, Build.curve(table)] {
      #expect(ICCProfile(Build.sRGB(curve: curve).profile)?.isSRGB == true)
    }
    let others = [
      Build.curve([563]), Build.curve([]), Build.parametric(0, [2.2]),
      Build.parametric(0, [-1]), Build.curve([0, 65_535]),
    ]
    for curve in others {
      #expect(ICCProfile(Build.sRGB(curve: curve).profile)?.isSRGB == false)
    }
  }

  @Test func otherColorantsClassesAndTablesAreNotSRGB() {
    let good = Build.sRGB(curve: Build.exactCurve)
    for change: (inout ICCBuilder) -> Void in [
      { $0.tags[1].data = Build.xyz(0.4400, 0.2225, 0.0139) },
      { $0.tags[3].data = $0.tags[2].data },
      { $0.deviceClass = "prtr" }, { $0.deviceClass = "link" }, { $0.colorSpace = "GRAY" },
      { $0.tags.append(("A2B0", Array("mft2".utf8) + [0, 0, 0, 0])) },
      { $0.tags.removeLast() },
    ] {
      var changed = good
      change(&changed)
      #expect(ICCProfile(changed.profile)?.isSRGB == false)
    }
  }

  @Test func grayProfilesAreJudgedByTheirCurve() {
    var builder = ICCBuilder(colorSpace: "GRAY", tags: [("kTRC", Build.exactCurve)])
    #expect(ICCProfile(builder.profile)?.isGrayWithSRGBCurve == true)
    #expect(ICCProfile(builder.profile)?.isUsable(components: 1) == true)
    builder.tags[0].data = Build.curve([461])
    #expect(ICCProfile(builder.profile)?.isGrayWithSRGBCurve == false)
    builder.tags = []
    #expect(ICCProfile(builder.profile)?.isUsable(components: 1) == false)
  }

  @Test func aPrintProfileNeedsItsTables() {
    var builder = ICCBuilder(colorSpace: "CMYK", deviceClass: "prtr", pcs: "Lab ")
    #expect(ICCProfile(builder.profile)?.isUsable(components: 4) == false)
    builder.tags = [("A2B0", Array("mft2".utf8) + [0, 0, 0, 0])]
    #expect(ICCProfile(builder.profile)?.isUsable(components: 4) == true)
    builder.deviceClass = "link"
    #expect(ICCProfile(builder.profile)?.isUsable(components: 4) == false)
  }

  @Test func namesAreCleanAndBounded() throws {
    func name(_ data: [UInt8]) -> String? {
      ICCProfile(ICCBuilder(tags: [("desc", data)]).profile)?.name
    }
    func ascii(_ text: String) -> [UInt8] {
      Array("desc".utf8) + [0, 0, 0, 0] + PNGBuilder.big(text.utf8.count + 1) + Array(text.utf8)
        + [0]
    }
    func localized(_ records: [(String, String)]) -> [UInt8] {
      var table: [UInt8] = []
      var texts: [UInt8] = []
      for (language, text) in records {
        let units = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        table += Array(language.utf8) + PNGBuilder.big(units.count)
        table += PNGBuilder.big(16 + records.count * 12 + texts.count)
        texts += units
      }
      return Array("mluc".utf8) + [0, 0, 0, 0] + PNGBuilder.big(records.count)
        + PNGBuilder.big(12) + table + texts
    }
    #expect(name(ascii("  sRGB\u{1B}[31m \n IEC  ")) == "sRGB[31m IEC")
    #expect(name(ascii("\u{1}")) == nil)
    #expect(name(ascii(String(repeating: "a", count: 300)))?.count == 100)
    #expect(name(localized([("deDE", "Graustufen"), ("enUS", "Gray")])) == "Gray")
    #expect(name(localized([("plPL", "Łódź")])) == "Łódź")
    #expect(name(Array("mluc".utf8) + [UInt8](repeating: 0xFF, count: 40)) == nil)
    #expect(name(Array("desc".utf8) + [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 65]) == "A")
    #expect(ICCProfile(ICCBuilder().profile)?.name == nil)
  }

  @Test func survivesAnyBytes() throws {
    let sample = try #require(
      ICCProfile.matrixProfile(primaries: .displayP3, transfer: .sRGB, name: "Display P3"))
    for count in 0..<sample.count { #expect(ICCProfile(Array(sample[..<count])) == nil) }
    var numbers = SeededNumbers(state: 3)
    var accepted = 0
    for _ in 0..<20_000 {
      var bytes = sample
      for _ in 0...Int.random(in: 0..<3, using: &numbers) {
        bytes[Int.random(in: 0..<bytes.count, using: &numbers)] = .random(
          in: 0...255, using: &numbers)
      }
      guard let profile = ICCProfile(bytes) else { continue }
      accepted += 1
      _ = (profile.isSRGB, profile.isGrayWithSRGBCurve, profile.isUsable(components: 3))
      _ = profile.name
    }
    #expect(accepted > 10_000)
  }
}
