import Testing

@testable import ImageContainers

private typealias Build = PNGBuilder

@Suite struct PNGContainerTests {
  @Test func tellsWhatAStillPictureHolds() throws {
    let facts = try PNGContainer.parse(Build.still)
    #expect(facts.format == .png)
    #expect((facts.storedWidth, facts.storedHeight) == (2, 2))
    #expect(facts.colorModel == .rgb)
    #expect(facts.bitDepth == 8)
    #expect(facts.hasAlpha)
    #expect(facts.frameCount == 1)
    #expect(facts.loopCount == nil)
    #expect(facts.colorTag == .sRGB)
    #expect(facts.oddities.isEmpty)
    #expect(
      facts.parts == [
        .init(.colorProfile, bytes: 16, origin: "gAMA"),
        .init(.application, bytes: 15, origin: "PLTE"),
        .init(.application, bytes: 21, origin: "pHYs"),
        .init(.comment, bytes: 25, origin: "tEXt"),
        .init(.application, bytes: 19, origin: "tIME"),
      ])
  }

  @Test(
    arguments: [
      (1, 0, ColorModel.gray, 1, false), (16, 0, .gray, 16, false), (16, 2, .rgb, 16, false),
      (2, 3, .palette, 8, false), (8, 4, .gray, 8, true), (16, 6, .rgb, 16, true),
    ] as [(UInt8, UInt8, ColorModel, Int, Bool)])
  func readsTheHeader(
    depth: UInt8, color: UInt8, model: ColorModel, bits: Int, hasAlpha: Bool
  ) throws {
    let palette = color == 3 ? Build.chunk("PLTE", [1, 2, 3]) : []
    let facts = try PNGContainer.parse(
      Build.file(Build.header(3, 5, depth: depth, color: color), palette, Build.data(), Build.end))
    #expect((facts.storedWidth, facts.storedHeight) == (3, 5))
    #expect(facts.colorModel == model)
    #expect(facts.bitDepth == bits)
    #expect(facts.hasAlpha == hasAlpha)
  }

  @Test func cleanKeepsOnlyThePicture() throws {
    let expected = Build.file(
      Build.header(), Build.chunk("sRGB", [0]), Build.chunk("tRNS", [0, 7, 0, 7, 0, 7]),
      Build.data(), Build.end)
    #expect(try PNGContainer.clean(Build.still + Build.still) == expected)
  }

  @Test(arguments: [Build.still, Build.animation, Build.still + [0, 1, 2]])
  func partsAndPictureMakeTheFile(file: [UInt8]) throws {
    let facts = try PNGContainer.parse(file)
    let clean = try PNGContainer.clean(file)
    #expect(facts.parts.reduce(clean.count) { $0 + $1.byteCount } == file.count)
    var expected = facts
    expected.parts = []
    #expect(try PNGContainer.parse(clean) == expected)
    #expect(try PNGContainer.clean(clean) == clean)
  }

  @Test func bytesAfterTheEndAreTrailing() throws {
    let file = Build.file(Build.header(), Build.data(), Build.end)
    let facts = try PNGContainer.parse(file + [1, 2, 3])
    #expect(facts.parts == [.init(.trailing, bytes: 3, origin: "after IEND")])
    let second = try PNGContainer.parse(file + Build.still)
    #expect(
      second.parts == [.init(.secondPicture, bytes: Build.still.count, origin: "after IEND")])
  }

  /// A chunk that claims two gigabytes makes libpng allocate them.
  @Test func refusesAChunkLongerThanTheFile() {
    let bomb = Build.file(Build.header(), Build.big(0x7FFF_FFFF) + Array("iCCP".utf8) + [0, 0, 0])
    #expect(bomb.count == 44)
    #expect(throws: ContainerError.truncated("png-chunk", offset: 33)) {
      try PNGContainer.parse(bomb)
    }
  }

  @Test(arguments: [
    ("png-signature", [UInt8](repeating: 0, count: 50)),
    ("png-ihdr", Build.file(Build.data(), Build.end)),
    ("png-ihdr-length", Build.file(Build.chunk("IHDR", [1, 2]), Build.data(), Build.end)),
    ("zero-size", Build.file(Build.header(0, 2), Build.data(), Build.end)),
    ("png-color-type", Build.file(Build.header(color: 5), Build.data(), Build.end)),
    ("png-bit-depth", Build.file(Build.header(depth: 4), Build.data(), Build.end)),
    ("png-compression", Build.file(Build.header(tail: [1, 0, 0]), Build.data(), Build.end)),
    ("png-filter", Build.file(Build.header(tail: [0, 64, 0]), Build.data(), Build.end)),
    ("png-interlace", Build.file(Build.header(tail: [0, 0, 2]), Build.data(), Build.end)),
    ("png-ihdr-again", Build.file(Build.header(), Build.header(), Build.data(), Build.end)),
    ("png-plte-missing", Build.file(Build.header(color: 3), Build.data(), Build.end)),
    (
      "png-plte-length",
      Build.file(Build.header(color: 3), Build.chunk("PLTE", [1]), Build.data(), Build.end)
    ),
    (
      "png-plte-again",
      Build.file(
        Build.header(), Build.chunk("PLTE", [1, 2, 3]), Build.chunk("PLTE", [1, 2, 3]),
        Build.data(), Build.end)
    ),
    ("png-idat-missing", Build.file(Build.header(), Build.end)),
    (
      "png-critical-chunk", Build.file(Build.header(), Build.chunk("ABCD"), Build.data(), Build.end)
    ),
    ("png-chunk-type", Build.file(Build.header(), Build.chunk("a1CD"), Build.data(), Build.end)),
    (
      "png-chunk-crc",
      Build.file(Build.header(), Build.chunk("IDAT", [1], breaksChecksum: true), Build.end)
    ),
  ])
  func refusesBrokenRules(word: String, file: [UInt8]) {
    let error = #expect(throws: ContainerError.self) { try PNGContainer.parse(file) }
    guard case .malformed(let problem, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(problem == word)
  }

  @Test func refusesAppleVariant() {
    let file = Build.file(
      Build.chunk("CgBI", [0, 0, 0, 0]), Build.header(), Build.data(), Build.end)
    #expect(throws: ContainerError.unsupported("png-cgbi")) { try PNGContainer.parse(file) }
  }

  @Test(
    "Chunks after the last row that break a rule are left out",
    arguments: [
      [], Array(Build.end.dropLast()), Build.chunk("IEND", breaksChecksum: true),
      Build.chunk("IEND", [1]), Build.chunk("ABCD"), Build.chunk("a1CD"), [0, 0, 0, 0, 0, 0, 0],
      [UInt8](repeating: 0, count: 512), Build.header() + Build.end,
      Build.big(900) + Array("tEXt".utf8) + [1],
    ])
  func repairsTheEnd(end: [UInt8]) throws {
    let file = Build.file(Build.header(), Build.data(), end)
    let facts = try PNGContainer.parse(file)
    #expect(facts.repairs == ["png-iend"])
    #expect(facts.losses.isEmpty)
    #expect(
      try PNGContainer.clean(file) == Build.file(Build.header(), Build.data(), Build.end))
  }

  @Test("A file that is cut after the last row is repaired, and any other cut is refused")
  func cuts() throws {
    let whole = Build.file(Build.header(), Build.data(), Build.end)
    // IEND, the checksum of IDAT, and the checksum of zlib.
    let needed = whole.count - 12 - 4 - 4
    for count in 0..<whole.count {
      let cut = Array(whole.prefix(count))
      guard count >= needed else {
        #expect(throws: ContainerError.self) { try PNGContainer.parse(cut) }
        continue
      }
      #expect(try PNGContainer.parse(cut).repairs.first == "png-iend")
      let clean = try PNGContainer.clean(cut)
      #expect(try PNGContainer.frames(of: clean).first != nil)
      #expect(try ContainerProof.verify(clean, as: .png).height == 2)
    }
    // Half of the bytes are before the start of the last row.
    #expect(throws: ContainerError.incomplete("png-rows", percentShown: 50)) {
      try PNGContainer.parse(Array(whole.prefix(needed - 3)))
    }
  }

  @Test func refusesWrongChecksumsOfPixels() {
    let data = Build.chunk("IDAT", [1], breaksChecksum: true)
    #expect(throws: ContainerError.malformed("png-chunk-crc", offset: 70)) {
      try PNGContainer.parse(Build.file(Build.header(), Build.data(), data, Build.end))
    }
  }

  @Test func refusesLessDataThanDeflateCouldMake() {
    let file = Build.file(Build.header(2_000, 2_000), Build.data(), Build.end)
    #expect(throws: ContainerError.self) { try PNGContainer.parse(file) }
  }

  @Test func damagedAncillaryChunksDoNotCount() throws {
    let facts = try PNGContainer.parse(
      Build.file(
        Build.header(), Build.chunk("sRGB", [0], breaksChecksum: true),
        Build.chunk("tRNS", [0, 1, 0, 2], breaksChecksum: false), Build.data(), Build.end))
    #expect(facts.colorTag == .untagged)
    #expect(!facts.hasAlpha)
    #expect(facts.parts.map(\.origin) == ["sRGB", "tRNS"])
  }

  @Test func anIndexedPictureKeepsPaletteAndTransparency() throws {
    let file = Build.file(
      Build.header(depth: 1, color: 3), Build.chunk("PLTE", [0, 0, 0, 4, 5, 6]),
      Build.chunk("tRNS", [0, 9]), Build.chunk("IDAT", Build.zlib([0, 0x40, 0, 0x40])), Build.end)
    let facts = try PNGContainer.parse(file)
    #expect(facts.hasAlpha)
    #expect(facts.parts.isEmpty)
    #expect(try PNGContainer.clean(file) == file)
  }
}

@Suite struct PNGLimitTests {
  private func limits(_ change: (inout ContainerLimits) -> Void) -> ContainerLimits {
    var limits = ContainerLimits()
    change(&limits)
    return limits
  }

  @Test func holdsTheSize() {
    let file = Build.file(Build.header(20_000, 20_000), Build.data(), Build.end)
    #expect(
      throws: ContainerError.overLimit(.pixels, actual: 400_000_000, allowed: 220_000_000)
    ) { try PNGContainer.parse(file) }
    let wide = Build.file(Build.header(0x7FFF_FFFF, 1), Build.data(), Build.end)
    #expect(throws: ContainerError.overLimit(.side, actual: 0x7FFF_FFFF, allowed: 32_768)) {
      try PNGContainer.parse(wide)
    }
  }

  @Test func holdsCountAndBytesOfChunks() {
    #expect(throws: ContainerError.overLimit(.chunks, actual: 10, allowed: 3)) {
      try PNGContainer.parse(Build.still, limits: limits { $0.chunks = 3 })
    }
    #expect(throws: ContainerError.overLimit(.chunkBytes, actual: 13, allowed: 12)) {
      try PNGContainer.parse(Build.still, limits: limits { $0.chunkBytes = 12 })
    }
    #expect(throws: ContainerError.overLimit(.ancillaryBytes, actual: 29, allowed: 20)) {
      try PNGContainer.parse(Build.still, limits: limits { $0.ancillaryBytes = 20 })
    }
  }

  @Test func holdsFrames() throws {
    // A frame counts as at least 64 by 64 pixels.
    let tight = limits { $0.framePixels = 3 * 64 * 64 - 1 }
    let facts = try PNGContainer.parse(Build.animation, limits: tight)
    #expect(facts.frameCount == 1)
    #expect(facts.fileFrameCount == 3)
    #expect(facts.losses == ["animation"])
    #expect(
      try PNGContainer.clean(Build.animation, limits: tight)
        == Build.file(Build.header(), Build.data(), Build.end))
  }
}

@Suite struct CRC32Tests {
  @Test func agreesWithTheSlowWayAtEveryLength() {
    var numbers = SeededNumbers(state: 1)
    let bytes = (0..<100).map { _ in UInt8.random(in: 0...255, using: &numbers) }
    for start in 0..<9 {
      for end in start...100 {
        #expect(CRC32.checksum(bytes, in: start..<end) == PNGBuilder.crc(bytes[start..<end]))
      }
    }
    #expect(CRC32.checksum(Array("123456789".utf8), in: 0..<9) == 0xCBF4_3926)
  }
}
