import Testing

@testable import ImageContainers

@Suite struct GIFContainerTests {
  private typealias Build = GIFBuilder

  @Test func tellsTheFactsOfAStill() throws {
    let facts = try GIFContainer.parse(Build.still)
    #expect(facts.format == .gif)
    #expect(facts.storedWidth == 4 && facts.storedHeight == 3)
    #expect(facts.frameCount == 1 && facts.loopCount == nil)
    #expect(facts.colorModel == .palette && !facts.hasAlpha && facts.parts.isEmpty)
  }

  @Test func listsEveryDroppedByteInFileOrder() throws {
    let facts = try GIFContainer.parse(Build.full)
    #expect(
      facts.parts.map(\.kind) == [
        .comment, .xmp, .colorProfile, .text, .trailing, .application, .trailing,
      ])
    #expect(facts.parts.map(\.byteCount) == [9, 284, 18, 8, 3, 17, 4])
  }

  @Test func cleanKeepsScreenLoopControlsAndFrames() throws {
    var second = Build.frame(1, 1, 3, 2, localPalette: true)
    // All pixels of the frame are transparent, so its colors are never shown.
    second.replaceSubrange(10..<16, with: [0, 0, 0, 0, 0, 0])
    let expected =
      Build.header(width: 6, height: 5) + Build.loop(3) + Build.control()
      + Build.frame(0, 0, 6, 5) + Build.control(flags: 0b1001, delay: 20, index: 1) + second
      + Build.trailer
    #expect(try GIFContainer.clean(Build.full) == expected)
  }

  @Test func cleanChangesNoFactAndIsIdempotent() throws {
    for sample in [Build.still, Build.full] {
      let clean = try GIFContainer.clean(sample)
      var facts = try GIFContainer.parse(sample)
      facts.parts = []
      #expect(try GIFContainer.parse(clean) == facts)
      #expect(try GIFContainer.clean(clean) == clean)
    }
  }

  @Test(arguments: [(nil, 1), (0, 0), (1, 2), (65_535, 65_536)])
  func countsPlays(extensionValue: Int?, plays: Int) throws {
    let frame = Build.frame(0, 0, 4, 3)
    let loop = extensionValue.map { Build.loop($0, name: "ANIMEXTS1.0") } ?? []
    let bytes = Build.header(width: 4, height: 3) + loop + frame + frame + Build.trailer
    #expect(try GIFContainer.parse(bytes).loopCount == plays)
    #expect(try GIFContainer.parse(GIFContainer.clean(bytes)).loopCount == plays)
  }

  @Test func dropsTheLoopOfAStill() throws {
    let bytes =
      Build.header(width: 4, height: 3, version: "GIF87a") + Build.loop(0)
      + Build.frame(0, 0, 4, 3) + Build.trailer
    let facts = try GIFContainer.parse(bytes)
    #expect(facts.parts == [ContainerPart(.application, bytes: 19, origin: "NETSCAPE2.0")])
    #expect(
      try GIFContainer.clean(bytes) == Build.header(width: 4, height: 3, version: "GIF87a")
        + Build.frame(0, 0, 4, 3) + Build.trailer)
  }

  @Test func onlyTheLastControlBeforeAFrameCounts() throws {
    let bytes =
      Build.header(width: 4, height: 3) + Build.control(flags: 1) + Build.control(delay: 7)
      + Build.frame(0, 0, 4, 3) + Build.control() + Build.trailer
    let facts = try GIFContainer.parse(bytes)
    #expect(!facts.hasAlpha)
    #expect(facts.parts.map(\.byteCount) == [8, 8])
    #expect(
      try GIFContainer.clean(bytes) == Build.header(width: 4, height: 3)
        + Build.frame(0, 0, 4, 3) + Build.trailer)
  }

  @Test(arguments: [
    (0, 0, [0, 0, 5, 4], 5, 4), (0, 9, [0, 0, 5, 4], 5, 4), (8, 8, [4, 4, 8, 8], 12, 12),
    (640, 480, [0, 0, 5, 4], 640, 480),
  ])
  func theFirstFrameGrowsTheScreen(
    width: Int, height: Int, frame: [Int], shownWidth: Int, shownHeight: Int
  ) throws {
    let bytes =
      Build.header(width: width, height: height)
      + Build.frame(frame[0], frame[1], frame[2], frame[3]) + Build.trailer
    for file in [bytes, try GIFContainer.clean(bytes)] {
      let facts = try GIFContainer.parse(file)
      #expect(facts.storedWidth == shownWidth && facts.storedHeight == shownHeight)
    }
  }

  @Test func laterFramesDoNotGrowTheScreen() throws {
    let bytes =
      Build.header(width: 8, height: 8) + Build.frame(0, 0, 8, 8) + Build.frame(4, 4, 8, 8)
      + Build.trailer
    #expect(try GIFContainer.parse(bytes).storedWidth == 8)
  }

  @Test(arguments: [
    (UInt8(0b1000), true), (UInt8(0b0100), false), (UInt8(1), true), (UInt8(0), false),
  ])
  func alphaComesFromIndexAndDisposal(flags: UInt8, hasAlpha: Bool) throws {
    let bytes =
      Build.header(width: 4, height: 3) + Build.control(flags: flags)
      + Build.frame(0, 0, 4, 3) + Build.frame(1, 1, 2, 2) + Build.trailer
    #expect(try GIFContainer.parse(bytes).hasAlpha == hasAlpha)
  }

  @Test func bareScreenIsTransparent() throws {
    let bytes = Build.header(width: 8, height: 3) + Build.frame(0, 0, 4, 3) + Build.trailer
    #expect(try GIFContainer.parse(bytes).hasAlpha)
  }
}

@Suite struct GIFRefusalTests {
  private typealias Build = GIFBuilder

  private func file(_ blocks: [UInt8]) -> [UInt8] { Build.header(width: 2, height: 2) + blocks }

  @Test func refusesWhatIsNoGIF() {
    #expect(throws: ContainerError.malformed("gif-signature", offset: 0)) {
      try GIFContainer.parse(Array("GIF88a".utf8) + Build.still.dropFirst(6))
    }
    #expect(throws: ContainerError.malformed("gif-no-frames", offset: 20)) {
      try GIFContainer.parse(file(Build.trailer))
    }
  }

  @Test(
    "Pixels are missing if codes end early or can't be followed",
    arguments: [
      ([4, 5], 0), ([4, 1, 5], 25), ([4, 1, 1, 4, 1, 5], 75), ([4, 6], 0), ([4, 1, 7], 25),
    ])
  func refusesFramesThatLackPixels(codes: [Int], percent: Int) throws {
    #expect(throws: ContainerError.incomplete("gif-frame-pixels", percentShown: percent)) {
      try GIFContainer.parse(file(Build.frame(0, 0, 2, 2, codes: codes) + Build.trailer))
    }
  }

  @Test func missingPixelsOfAnInterlacedFrameLieAllOverIt() throws {
    var frame = Build.frame(0, 0, 2, 2, codes: [4, 1, 1, 5])
    frame[9] |= 0x40
    #expect(throws: ContainerError.incomplete("gif-frame-pixels", percentShown: nil)) {
      try GIFContainer.parse(file(frame + Build.trailer))
    }
  }

  @Test func followsCodesThatGrow() throws {
    // Code 1, then entry 6 (two pixels), then entry 7 (three): these are six pixels, and four-bit codes begin.
    let short = file(Build.frame(0, 0, 2, 3, codes: [4, 1, 6, 5]) + Build.trailer)
    #expect(throws: ContainerError.self) { try GIFContainer.parse(short) }
    let whole = file(Build.frame(0, 0, 2, 3, codes: [4, 1, 6, 7]) + Build.trailer)
    #expect(try GIFContainer.parse(whole).frameCount == 1)
  }

  @Test(arguments: [UInt8(0), 12, 255])
  func refusesCodeSizes(size: UInt8) throws {
    var bytes = file(Build.frame(0, 0, 2, 2) + Build.trailer)
    bytes[29] = size
    #expect(throws: ContainerError.malformed("gif-code-size", offset: 29)) {
      try GIFContainer.parse(bytes)
    }
  }

  @Test(
    "Data that is missing after the last pixel is repaired",
    arguments: [(1, [5]), (2, [5]), (2, [])] as [(Int, [Int])])
  func repairsTheEnd(missing: Int, endCode: [Int]) throws {
    for frames in [1, 2] {
      let frame = Build.frame(0, 0, 2, 2, codes: [4, 1, 1, 4, 1, 1] + endCode)
      let whole = file(Array(repeatElement(frame, count: frames).joined()) + Build.trailer)
      let cut = Array(whole.dropLast(missing))
      let facts = try GIFContainer.parse(cut)
      #expect(facts.frameCount == frames)
      #expect(facts.losses.isEmpty)
      #expect(
        facts.repairs == (missing > 1 ? ["gif-image-end", "gif-trailer"] : ["gif-trailer"]))
      let clean = try GIFContainer.clean(cut)
      #expect(try GIFContainer.parse(clean).repairs.isEmpty)
      #expect(try ContainerProof.verify(clean, as: .gif).frameCount == frames)
    }
  }

  @Test func garbageIsTheEndAndMayHideFrames() throws {
    let bytes = file(Build.frame(0, 0, 2, 2))
    let facts = try GIFContainer.parse(bytes + [0x99, 1, 2, 0x3B])
    #expect(facts.repairs == ["gif-trailer"])
    #expect(facts.losses.isEmpty)
    let hidden = bytes + [0x99] + Build.control() + Build.frame(0, 0, 2, 2) + Build.trailer
    #expect(try GIFContainer.parse(hidden).losses == ["frames"])
    #expect(throws: ContainerError.malformed("gif-block", offset: 19)) {
      try GIFContainer.parse(file([0x99, 1, 2, 0x3B]))
    }
  }

  @Test("More than 256 bytes of garbage after an animation count as frames", arguments: [256, 257])
  func muchGarbage(count: Int) throws {
    let frame = Build.frame(0, 0, 2, 2)
    let bytes = file(Build.loop(0) + frame + frame) + [UInt8](repeating: 0x99, count: count)
    #expect(try GIFContainer.parse(bytes).losses == (count > 256 ? ["frames"] : []))
  }

  @Test("Frames before a damaged one stay", arguments: [[4, 5], [4, 6], [4, 1]])
  func keepsWholeFrames(codes: [Int]) throws {
    let frame = Build.frame(0, 0, 2, 2)
    let bytes = file(
      Build.loop(0) + frame + frame + Build.frame(0, 0, 2, 2, codes: codes) + frame
        + Build.trailer)
    let facts = try GIFContainer.parse(bytes)
    #expect(facts.frameCount == 2)
    #expect(facts.losses == ["frames"])
    #expect(
      try GIFContainer.clean(bytes) == file(Build.loop(0) + frame + frame + Build.trailer))
  }

  @Test func aFrameOfNoSizeIsNone() throws {
    let frame = Build.frame(0, 0, 2, 2)
    let empty = Build.control() + Build.frame(0, 0, 0, 2, codes: [4, 5])
    let bytes = file(empty + frame + empty + Build.trailer)
    let facts = try GIFContainer.parse(bytes)
    #expect(facts.frameCount == 1)
    #expect(facts.repairs.isEmpty && facts.losses.isEmpty)
    #expect(try GIFContainer.clean(bytes) == file(frame + Build.trailer))
    #expect(throws: ContainerError.self) { try GIFContainer.parse(file(empty + Build.trailer)) }
  }

  @Test func skipsZeroBytesBetweenBlocks() throws {
    let frame = Build.frame(0, 0, 2, 2)
    let bytes = file(frame + [0, 0] + frame + Build.trailer)
    #expect(
      try GIFContainer.parse(bytes).parts
        == [ContainerPart(.unknown, bytes: 2, origin: "padding")])
    #expect(try GIFContainer.clean(bytes) == file(frame + frame + Build.trailer))
  }

  @Test func refusesOverEachLimit() throws {
    let frame = Build.frame(0, 0, 2, 2)
    let bytes = file(Build.comment("a") + frame + frame + frame + Build.trailer)
    var limits = ContainerLimits()
    #expect(try GIFContainer.parse(bytes, limits: limits).frameCount == 3)
    // A frame counts as at least 64 by 64 pixels.
    limits.framePixels = 3 * 64 * 64 - 1
    let facts = try GIFContainer.parse(bytes, limits: limits)
    #expect(facts.frameCount == 1)
    #expect(facts.fileFrameCount == 3)
    #expect(facts.losses == ["animation"])
    #expect(try GIFContainer.clean(bytes, limits: limits) == file(frame + Build.trailer))
    limits.framePixels += 1
    #expect(try GIFContainer.parse(bytes, limits: limits).frameCount == 3)
    limits = ContainerLimits()
    limits.chunks = 4
    #expect(throws: ContainerError.overLimit(.chunks, actual: 5, allowed: 4)) {
      try GIFContainer.parse(bytes, limits: limits)
    }
    limits = ContainerLimits()
    limits.pixels = 3
    #expect(throws: ContainerError.overLimit(.pixels, actual: 4, allowed: 3)) {
      try GIFContainer.parse(bytes, limits: limits)
    }
    #expect(throws: ContainerError.overLimit(.side, actual: 40_000, allowed: 32_768)) {
      try GIFContainer.parse(Build.header(width: 40_000, height: 2) + frame + Build.trailer)
    }
  }

  @Test func everyTruncationOfAnAnimationKeepsWhatIsWhole() throws {
    let whole = Array(Build.full.dropLast(4))
    var found: [Int] = []
    for count in 0..<whole.count {
      let cut = Array(whole.prefix(count))
      guard let facts = try? GIFContainer.parse(cut) else {
        found.append(0)
        continue
      }
      found.append(facts.frameCount)
      #expect(!facts.repairs.isEmpty)
      let clean = try GIFContainer.clean(cut)
      #expect(
        try ContainerProof.verify(clean, as: .gif).frameCount == facts.frameCount)
    }
    #expect(found == found.sorted())
    #expect(Set(found) == [0, 1, 2])
    #expect(try GIFContainer.parse(whole).frameCount == 2)
  }

  @Test func mutationsNeverTrapAndCleanStaysSound() throws {
    var mutator = SampleMutator(seed: 20_261)
    var parsed = 0
    for round in 0..<20_000 {
      let sample = mutator.mutate(round.isMultiple(of: 2) ? Build.full : Build.still)
      guard let clean = try? GIFContainer.clean(sample) else { continue }
      parsed += 1
      #expect(try GIFContainer.parse(clean).parts.isEmpty)
      #expect(try GIFContainer.clean(clean) == clean)
    }
    #expect(parsed > 500)
  }
}
