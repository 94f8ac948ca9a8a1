import Testing

@testable import ImageContainers

@Suite struct WebPProofTests {
  private typealias Build = WebPBuilder

  /// The cleaned output of libwebp for 16 x 16 pixels.
  private static let vp8: [UInt8] = {
    let file = (try? WebPContainer.clean(Build.riff(Build.chunk("VP8 ", encoded)))) ?? []
    return Array(file.dropFirst(20).prefix(Int(file[16])))
  }()

  /// The output of libwebp for 16 x 16 and 64 x 48 pixels.
  private static let encoded: [UInt8] = [
    16, 1, 0, 157, 1, 42, 16, 0, 16, 0, 15, 64, 254, 39, 176, 0, 4, 116, 251, 61, 200, 125, 184,
    34, 254, 13, 253, 216,
  ]
  private static let vp8l: [UInt8] = [
    47, 63, 192, 11, 0, 39, 32, 16, 72, 218, 31, 122, 141, 249, 23, 16, 20, 249, 63, 218, 252, 7,
    178, 69, 2, 20, 69, 146, 212, 76, 129, 1, 176, 128, 133, 51, 64, 242, 47, 42, 199, 23, 175,
    136, 254, 11, 9, 18, 105, 78, 201, 83, 110, 234, 175, 229, 241, 128, 98, 191, 183, 182, 29,
    50, 24, 64, 35, 67, 7, 154, 146, 226, 108, 111, 238, 175, 146, 0,
  ]

  private func verify(_ bytes: [UInt8]) throws -> VerifiedPicture {
    try ContainerProof.verify(bytes, as: .webp)
  }

  @Test func provesWhatAnEncoderWrote() throws {
    let lossy = try verify(Build.riff(Build.chunk("VP8 ", Self.vp8)))
    #expect(lossy.width == 16 && lossy.height == 16)
    let lossless = try verify(Build.riff(Build.chunk("VP8L", Self.vp8l)))
    #expect(lossless.width == 64 && lossless.height == 48)
  }

  @Test(arguments: [("VP8 ", vp8), ("VP8L", vp8l)])
  func refusesTextBehindTheData(name: String, data: [UInt8]) {
    for text in ["x", "hidden", String(repeating: "text ", count: 100)] {
      let file = Build.riff(Build.chunk(name, data + Array(text.utf8)))
      #expect(throws: ProofError.self) { try verify(file) }
    }
  }

  @Test func cutsTextBehindTokensAndInTheFirstPartition() throws {
    let clean = try WebPContainer.clean(Build.riff(Build.chunk("VP8 ", Self.vp8)))
    var first = Self.vp8
    let tag = Int(first[0]) | Int(first[1]) << 8 | Int(first[2]) << 16
    let size = tag >> 5
    let text = Array("hidden".utf8)
    first.insert(contentsOf: text, at: 10 + size)
    first.replaceSubrange(0..<3, with: Build.little((size + text.count) << 5 | tag & 31, 3))
    for planted in [first, Self.vp8 + text] {
      let file = Build.riff(Build.chunk("VP8 ", planted))
      #expect(throws: ProofError.self) { try verify(file) }
      let cut = try WebPContainer.clean(file)
      #expect(cut == clean)
      #expect(try verify(cut).width == 16)
    }
  }

  @Test func hiddenMacroblocksAreFlat() {
    // Five by seven macroblocks. One pixel of the first is visible.
    var plane = [UInt8](repeating: 0, count: 80 * 112)
    plane[0] = 1
    var hidden = WebPProofHidden(width: 80, height: 112)
    for y in 0..<112 { hidden.addRow(Array(plane[y * 80..<y * 80 + 80]), y: y) }
    var filled = [UInt8](repeating: 0, count: 35)
    for row in 0..<3 { for column in 0..<3 { filled[row * 5 + column] = 25 } }
    #expect(hidden.isFlat(filled), "a shown pixel needs what is beside it")
    filled[3] = 3
    #expect(!hidden.isFlat(filled))
    // 26 macroblocks are hidden. Quantization leaves at most 22 blocks in them.
    for count in [22, 23] {
      filled = [UInt8](repeating: 0, count: 35)
      for index in 0..<count / 2 { filled[34 - index] = 2 }
      if count.isMultiple(of: 2) == false { filled[20] = 1 }
      #expect(hidden.isFlat(filled) == (count == 22))
    }
  }

  private static let plane = Build.chunk("ALPH", [0] + [UInt8](repeating: 200, count: 256))
  private static let picture = Build.chunk("VP8 ", vp8)
  private static let still = Build.riff(Build.canvas(0x10, 16, 16), plane, picture)

  /// Returns an animation of one frame with this background and these chunks.
  private static func animated(
    background: UInt8 = 0, flags: UInt8 = 0, frame chunks: [UInt8]...
  ) -> [UInt8] {
    Build.riff(
      Build.canvas(0x12, 16, 16), Build.chunk("ANIM", [background, 0, 0, 0, 0, 0]),
      Build.frame(0, 0, 16, 16, flags: flags, chunks.flatMap { $0 }))
  }

  @Test func provesAlphaAndFrames() throws {
    let cut = try WebPContainer.clean(Self.still)
    #expect(try verify(cut).width == 16)
    let frame = try WebPContainer.clean(Self.animated(frame: Self.plane, Self.picture))
    #expect(try verify(frame).frameCount == 1)
  }

  @Test(arguments: [
    // Chunks that no decoder reads: before, between and after those that are read.
    ("webp-surplus", Build.riff(picture, Build.chunk("text", [1, 2]))),
    ("webp-riff", Build.riff(picture) + [1]),
    ("webp-flags", Build.riff(Build.canvas(0x14, 16, 16), plane, picture)),
    ("webp-idle-canvas", Build.riff(Build.canvas(0, 16, 16), picture)),
    ("webp-size", Build.riff(Build.canvas(0x10, 17, 16), plane, picture)),
    (
      "webp-padding",
      Build.riff(Build.chunk("VP8 ", vp8 + (vp8.count.isMultiple(of: 2) ? [0] : []), pad: 7))
    ),
    // The preprocessing of the plane, and bytes after it.
    (
      "webp-alpha-head",
      Build.riff(
        Build.canvas(0x10, 16, 16), Build.chunk("ALPH", [0x10] + [UInt8](repeating: 1, count: 256)),
        picture)
    ),
    (
      "webp-alpha-size",
      Build.riff(
        Build.canvas(0x10, 16, 16), Build.chunk("ALPH", [UInt8](repeating: 0, count: 259)),
        picture)
    ),
    // The background color, and a frame's reserved bits and tail.
    ("webp-background", animated(background: 9, frame: picture)),
    ("webp-frame-flags", animated(flags: 0xF0, frame: picture)),
    ("webp-frame-tail", animated(frame: picture, Build.chunk("text", [1, 2]))),
  ])
  func refusesEachPlantedPartByName(word: String, file: [UInt8]) throws {
    // The picture itself is valid, so only the planted part is refused.
    #expect(throws: ProofError(word, offset: 0)) {
      do { _ = try verify(file) } catch let failure as ProofError {
        throw ProofError(failure.problem, offset: 0)
      }
    }
  }
}
