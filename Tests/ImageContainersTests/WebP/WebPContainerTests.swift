import Testing

@testable import ImageContainers

@Suite struct WebPContainerTests {
  private typealias Build = WebPBuilder

  @Test func tellsTheFactsOfStills() throws {
    let lossy = try WebPContainer.parse(Build.still)
    #expect(lossy.format == .webp)
    #expect(lossy.storedWidth == 20 && lossy.storedHeight == 10)
    #expect(lossy.frameCount == 1 && lossy.loopCount == nil && lossy.orientation == 1)
    #expect(lossy.chromaSubsampled && !lossy.hasAlpha && lossy.parts.isEmpty)

    let lossless = try WebPContainer.parse(Build.riff(Build.lossless(16_383, 1, alpha: true)))
    #expect(lossless.storedWidth == 16_383 && lossless.storedHeight == 1)
    #expect(!lossless.chromaSubsampled && lossless.hasAlpha)
    #expect(try WebPContainer.parse(Build.stillWithAlpha).hasAlpha)
  }

  @Test func tellsTheFactsOfAnAnimation() throws {
    let facts = try WebPContainer.parse(Build.animated)
    #expect(facts.storedWidth == 20 && facts.storedHeight == 10)
    #expect(facts.frameCount == 2 && facts.loopCount == 5)
    #expect(facts.hasAlpha && facts.chromaSubsampled)
    #expect(facts.colorTag == .profile([1, 2]))
  }

  @Test func listsEveryDroppedByteInFileOrder() throws {
    let full = try WebPContainer.parse(Build.full)
    #expect(
      full.parts.map(\.kind) == [.colorProfile, .unknown, .exif, .xmp, .exif, .trailing])
    let animated = try WebPContainer.parse(Build.animated)
    #expect(animated.parts.map(\.kind) == [.colorProfile, .unknown, .xmp])
    for sample in [Build.full, Build.animated] {
      let dropped = try WebPContainer.parse(sample).parts.map(\.byteCount).reduce(0, +)
      #expect(try WebPContainer.clean(sample).count + dropped == sample.count)
    }
  }

  @Test func cleanMakesTheSimplestForm() throws {
    #expect(try WebPContainer.clean(Build.full) == Build.stillWithAlpha)
    let wrapped = Build.riff(Build.canvas(0x10, 20, 10), Build.lossy(20, 10))
    #expect(try WebPContainer.clean(wrapped) == Build.still)
    #expect(
      try WebPContainer.parse(wrapped).parts
        == [ContainerPart(.application, bytes: 18, origin: "VP8X")])
    let simple = Build.riff(Build.lossless(20, 10), Build.chunk("IART", [1, 2, 3]))
    #expect(try WebPContainer.clean(simple) == Build.riff(Build.lossless(20, 10)))
    #expect(
      try WebPContainer.clean(Build.animated)
        == Build.riff(
          Build.canvas(0x12, 20, 10), Build.animation(loop: 5),
          Build.frame(0, 0, 20, 10, Build.lossless(20, 10)),
          Build.frame(4, 2, 8, 6, flags: 3, Build.alpha, Build.lossy(8, 6))))
  }

  @Test func cleanChangesNoFactAndIsIdempotent() throws {
    for sample in [Build.still, Build.stillWithAlpha, Build.full, Build.animated] {
      let clean = try WebPContainer.clean(sample)
      var facts = try WebPContainer.parse(sample)
      facts.parts = []
      facts.colorTag = .untagged
      facts.exif = nil
      #expect(try WebPContainer.parse(clean) == facts)
      #expect(try WebPContainer.clean(clean) == clean)
    }
  }

  @Test func chunksCountOnlyWhereTheFlagsAnnounceThem() throws {
    let bytes = Build.riff(
      Build.canvas(0, 20, 10), Build.chunk("ICCP", [1, 2]), Build.lossy(20, 10))
    let facts = try WebPContainer.parse(bytes)
    #expect(facts.colorTag == .untagged)
    #expect(facts.parts.map(\.kind) == [.application, .colorProfile])
  }

  @Test func paddingIsMadeAnew() throws {
    var payload = Build.lossy(20, 10)
    payload[payload.count - 1] = 0x55
    #expect(try WebPContainer.clean(Build.riff(payload)) == Build.still)
    let unpadded = Build.riff(Array(payload.dropLast()))
    #expect(try WebPContainer.clean(unpadded) == Build.still)
  }

  @Test func aBareOrClearedCanvasIsTransparent() throws {
    func hasAlpha(_ first: [UInt8], _ second: [UInt8]) throws -> Bool {
      try WebPContainer.parse(
        Build.riff(Build.canvas(2, 20, 10), Build.animation(loop: 0), first, second)
      ).hasAlpha
    }
    let whole = Build.frame(0, 0, 20, 10, Build.lossy(20, 10))
    let disposed = Build.frame(0, 0, 20, 10, flags: 1, Build.lossy(20, 10))
    let small = Build.frame(2, 2, 8, 6, Build.lossy(8, 6))
    #expect(try !hasAlpha(whole, small))
    #expect(try hasAlpha(small, whole))
    #expect(try hasAlpha(disposed, small))
    #expect(try !hasAlpha(disposed, whole))
  }
}

@Suite struct WebPRefusalTests {
  private typealias Build = WebPBuilder

  private static let malformed: [(String, [UInt8])] = [
    ("webp-signature", Array("RIFX".utf8) + Build.still.dropFirst(4)),
    ("webp-signature", Array(Build.still.prefix(8)) + Array("WAVE".utf8)),
    ("webp-first-chunk", Build.riff(Build.alpha, Build.lossy(20, 10))),
    ("webp-first-chunk", Build.riff(Build.chunk("EXIF", [1, 2]), Build.lossy(20, 10))),
    ("webp-no-picture", Build.riff(Build.canvas(0, 20, 10))),
    ("webp-no-picture", Build.riff(Build.canvas(2, 20, 10), Build.animation(loop: 0))),
    ("webp-canvas", Build.riff(Build.canvas(0, 20, 11), Build.lossy(20, 10))),
    (
      "webp-second-canvas",
      Build.riff(Build.canvas(0, 20, 10), Build.lossy(20, 10), Build.canvas(0, 20, 10))
    ),
    (
      "webp-stray-picture",
      Build.riff(Build.canvas(0, 20, 10), Build.lossy(20, 10), Build.lossy(20, 10))
    ),
    ("webp-stray-picture", Build.riff(Build.canvas(2, 20, 10), Build.lossy(20, 10))),
    (
      "webp-alpha-of-lossless",
      Build.riff(Build.canvas(0x10, 20, 10), Build.alpha, Build.lossless(20, 10))
    ),
    (
      "webp-alpha",
      Build.riff(Build.canvas(0x10, 20, 10), Build.chunk("ALPH", [2, 0]), Build.lossy(20, 10))
    ),
    (
      "webp-frame-before-anim",
      Build.riff(Build.canvas(2, 20, 10), Build.frame(0, 0, 20, 10, Build.lossy(20, 10)))
    ),
    (
      "webp-frame-before-anim",
      Build.riff(Build.canvas(0, 20, 10), Build.lossy(20, 10), Build.chunk("ANMF", []))
    ),
    ("webp-frame-outside", animation(Build.frame(14, 0, 8, 6, Build.lossy(8, 6)))),
    ("webp-frame-size", animation(Build.frame(0, 0, 8, 6, Build.lossy(8, 5)))),
    ("webp-frame-empty", animation(Build.frame(0, 0, 8, 6, Build.alpha))),
    ("webp-vp8-frame", patched(at: 20, to: 1)),
    ("webp-vp8-start-code", patched(at: 23, to: 0)),
  ]

  private static func animation(_ frame: [UInt8]) -> [UInt8] {
    Build.riff(Build.canvas(2, 20, 10), Build.animation(loop: 0), frame)
  }

  private static func patched(at index: Int, to value: UInt8) -> [UInt8] {
    var bytes = Build.still
    bytes[index] = value
    return bytes
  }

  @Test(arguments: malformed) func refusesByName(word: String, bytes: [UInt8]) throws {
    let error = #expect(throws: ContainerError.self) { try WebPContainer.parse(bytes) }
    guard case .malformed(let found, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(found == word)
  }

  @Test func refusesPartitionsAndAlphaThatAreCut() {
    #expect(throws: ContainerError.truncated("webp-vp8-partition", offset: 30)) {
      try WebPContainer.parse(Self.patched(at: 20, to: 6 << 5 | 1 << 4))
    }
    let raw = Build.chunk("ALPH", [0] + [UInt8](repeating: 9, count: 199))
    let bytes = Build.riff(Build.canvas(0x10, 20, 10), raw, Build.lossy(20, 10))
    #expect(throws: ContainerError.truncated("webp-alpha", offset: 39)) {
      try WebPContainer.parse(bytes)
    }
  }

  @Test func refusesOtherVersionsOfLossless() {
    var bytes = Build.riff(Build.lossless(20, 10))
    bytes[24] |= 0x20
    #expect(throws: ContainerError.malformed("webp-vp8l-version", offset: 20)) {
      try WebPContainer.parse(bytes)
    }
  }

  @Test func refusesOverEachLimit() throws {
    var limits = ContainerLimits()
    // A frame counts as at least 64 by 64 pixels.
    limits.framePixels = 2 * 64 * 64 - 1
    let facts = try WebPContainer.parse(Build.animated, limits: limits)
    #expect(facts.frameCount == 1)
    #expect(facts.fileFrameCount == 2)
    #expect(facts.losses == ["animation"])
    limits = ContainerLimits()
    limits.chunks = 9
    #expect(throws: ContainerError.overLimit(.chunks, actual: 10, allowed: 9)) {
      try WebPContainer.parse(Build.animated, limits: limits)
    }
    limits = ContainerLimits()
    limits.pixels = 199
    #expect(throws: ContainerError.overLimit(.pixels, actual: 200, allowed: 199)) {
      try WebPContainer.parse(Build.still, limits: limits)
    }
    let huge = Build.riff(Build.canvas(2, 1 << 24, 1), Build.animation(loop: 0))
    #expect(throws: ContainerError.overLimit(.side, actual: 1 << 24, allowed: 32_768)) {
      try WebPContainer.parse(huge)
    }
  }

  @Test func refusesEveryTruncationOfAStill() {
    // The last byte is padding.
    let sample = Build.riff(Build.chunk("VP8 ", VP8Product().bytes))
    let length = VP8Product().bytes.count + 20
    for count in 0..<length {
      #expect(throws: ContainerError.self) {
        try WebPContainer.parse(Array(sample.prefix(count)))
      }
    }
    #expect(try! WebPContainer.parse(Array(sample.prefix(length))).frameCount == 1)
  }

  @Test func everyTruncationOfAnAnimationKeepsWhatIsWhole() throws {
    let picture = VP8Product().bytes
    let frame = Build.frame(0, 0, 64, 16, Build.chunk("VP8 ", picture))
    let head = Build.riff(Build.canvas(2, 64, 16), Build.animation(loop: 0)).count
    let whole = Build.riff(
      Build.canvas(2, 64, 16), Build.animation(loop: 0), frame, frame,
      Build.chunk("XMP ", [1, 2]))
    let padding = picture.count % 2
    for count in 0..<whole.count {
      let cut = Array(whole.prefix(count))
      guard count >= head + frame.count - padding else {
        #expect(throws: ContainerError.self) { try WebPContainer.parse(cut) }
        continue
      }
      let facts = try WebPContainer.parse(cut)
      #expect(facts.repairs == ["webp-size"])
      #expect(facts.frameCount == (count >= head + 2 * frame.count - padding ? 2 : 1))
      // If only the padding of the first frame is missing, only the size shows that there was more.
      let isLost = facts.frameCount == 1 && count >= head + frame.count
      #expect(facts.losses == (isLost ? ["frames"] : []))
      #expect(
        try ContainerProof.verify(WebPContainer.clean(cut), as: .webp).frameCount
          == facts.frameCount)
    }
  }

  @Test func aFrameUnderAnUnknownNameIsNamedAsLost() throws {
    let frame = Build.frame(0, 0, 64, 16, Build.chunk("VP8 ", VP8Product().bytes))
    let hidden = Array("ANMG".utf8) + frame.dropFirst(4)
    let facts = try WebPContainer.parse(
      Build.riff(Build.canvas(2, 64, 16), Build.animation(loop: 0), frame, hidden, frame))
    #expect(facts.frameCount == 2)
    #expect(facts.losses == ["frames"])
  }

  @Test("Frames after a chunk that lost or gained a byte are reported as lost", arguments: [-1, 1])
  func shiftedFrames(by shift: Int) throws {
    let frame = Build.frame(0, 0, 64, 16, Build.chunk("VP8 ", VP8Product().bytes))
    let head = Build.riff(Build.canvas(2, 64, 16), Build.animation(loop: 0), frame)
    var bytes = Build.riff(Build.canvas(2, 64, 16), Build.animation(loop: 0), frame, frame, frame)
    if shift < 0 { bytes.remove(at: head.count) } else { bytes.insert(7, at: head.count) }
    let facts = try WebPContainer.parse(bytes)
    #expect(facts.frameCount == 1)
    #expect(facts.losses == ["frames"])
  }

  @Test("Sizes larger or smaller than the data are corrected", arguments: [-40, -4, 2, 900])
  func repairsSizes(change: Int) throws {
    let chunk = Build.chunk("VP8 ", VP8Product().bytes)
    let whole = Build.riff(chunk)
    var riff = whole
    riff.replaceSubrange(4..<8, with: Build.little(whole.count - 8 + change, 4))
    func claiming(_ more: Int) -> [UInt8] {
      var both = riff
      both.replaceSubrange(16..<20, with: Build.little(VP8Product().bytes.count + more, 4))
      return both
    }
    for file in [riff, claiming(8)] {
      #expect(try WebPContainer.parse(file).repairs == ["webp-size"])
      #expect(try WebPContainer.clean(file) == whole)
    }
    // Surplus codes are never that long, so other data must be missing.
    #expect(throws: ContainerError.incomplete("webp-data", percentShown: nil)) {
      try WebPContainer.parse(claiming(512))
    }
  }

  @Test func tellsHowManyRowsAreThere() throws {
    var product = VP8Product()
    product.rows = 64
    let whole = Build.riff(Build.chunk("VP8 ", product.bytes))
    #expect(throws: ContainerError.incomplete("webp-data", percentShown: 54)) {
      let rows = product.bytes.count - VP8Product(rows: 64).headerCount
      return try WebPContainer.parse(Array(whole.dropLast(rows / 2)))
    }
  }

  @Test func mutationsNeverTrapAndCleanStaysSound() throws {
    var mutator = SampleMutator(seed: 9_649)
    let samples = [Build.still, Build.full, Build.animated]
    var parsed = 0
    for round in 0..<20_000 {
      let sample = mutator.mutate(samples[round % samples.count])
      guard let clean = try? WebPContainer.clean(sample) else { continue }
      parsed += 1
      #expect(try WebPContainer.parse(clean).parts.isEmpty)
      #expect(try WebPContainer.clean(clean) == clean)
    }
    #expect(parsed > 500)
  }
}
