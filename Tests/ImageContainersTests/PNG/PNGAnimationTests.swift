import Testing

@testable import ImageContainers

private typealias Build = PNGBuilder

@Suite struct PNGAnimationTests {
  @Test func tellsFramesAndPlays() throws {
    let facts = try PNGContainer.parse(Build.animation)
    #expect(facts.frameCount == 3)
    #expect(facts.loopCount == 2)
    #expect(facts.parts.map(\.origin) == ["tEXt"])
  }

  @Test func aHiddenDefaultPictureIsNoFrame() throws {
    let file = Build.file(
      Build.header(), Build.control(frames: 1), Build.data(), Build.frame(0), Build.frameData(1),
      Build.end)
    let facts = try PNGContainer.parse(file)
    #expect(facts.frameCount == 1)
    #expect(facts.loopCount == 0)
    // Every decoder shows the only frame then.
    let frame = Build.file(Build.header(), Build.data(value: 9), Build.end)
    #expect(try PNGContainer.clean(file) == frame)
    #expect(try Array(PNGContainer.frames(of: file)) == [frame])
  }

  @Test func oneFrameThatIsTheDefaultPictureIsStill() throws {
    let file = Build.file(
      Build.header(), Build.control(frames: 1), Build.frame(0), Build.data(), Build.end)
    let facts = try PNGContainer.parse(file)
    #expect(facts.frameCount == 1)
    #expect(facts.loopCount == nil)
    #expect(facts.oddities.isEmpty)
    #expect(
      try PNGContainer.clean(file) == Build.file(Build.header(), Build.data(), Build.end))
  }

  @Test func framesAreStillPicturesOfTheirOwn() throws {
    let frames = try Array(PNGContainer.frames(of: Build.animation))
    let second = Build.frameData(2, width: 1).dropFirst(12).dropLast(4)
    #expect(frames.count == 3)
    #expect(frames[0] == Build.file(Build.header(), Build.data(), Build.end))
    #expect(
      frames[1]
        == Build.file(Build.header(1, 2), Build.chunk("IDAT", Array(second)), Build.end))
    for frame in frames { #expect(try PNGContainer.parse(frame).parts.isEmpty) }
  }

  @Test func aStillPictureIsOneFrame() throws {
    let frames = try Array(PNGContainer.frames(of: Build.still))
    #expect(
      frames == [
        Build.file(
          Build.header(), Build.chunk("tRNS", [0, 7, 0, 7, 0, 7]), Build.data(), Build.end)
      ])
  }

  @Test(arguments: [
    // The sequence numbers start wrong, repeat, or are out of order.
    [Build.control(frames: 2), Build.frame(1), Build.data(), Build.frame(2), Build.frameData(3)],
    [Build.control(frames: 2), Build.frame(0), Build.data(), Build.frame(1), Build.frameData(1)],
    [Build.control(frames: 2), Build.frame(0), Build.data(), Build.frameData(2), Build.frame(1)],
    // More frames than promised, or no frames.
    [Build.control(frames: 1), Build.frame(0), Build.data(), Build.frame(1), Build.frameData(2)],
    [Build.control(frames: 0), Build.data()],
    // Outside the canvas, of size zero, or with a first frame smaller than the canvas.
    [Build.control(frames: 1), Build.data(), Build.frame(0, 2, 2, x: 1), Build.frameData(1)],
    [Build.control(frames: 1), Build.data(), Build.frame(0, 0, 2), Build.frameData(1)],
    [
      Build.control(frames: 1), Build.data(), Build.frame(0, 2, 2, x: 0xFFFF_FFFF),
      Build.frameData(1),
    ],
    [Build.control(frames: 1), Build.frame(0, 1, 2), Build.data()],
    // Unknown blend and dispose operations.
    [Build.control(frames: 1), Build.data(), Build.frame(0, dispose: 3), Build.frameData(1)],
    [Build.control(frames: 1), Build.data(), Build.frame(0, blend: 2), Build.frameData(1)],
    // No data, data before the picture, and a control chunk that is late, repeated or damaged.
    [Build.control(frames: 1), Build.data(), Build.frame(0)],
    [Build.control(frames: 2), Build.data(), Build.frame(0), Build.frame(1), Build.frameData(2)],
    [Build.control(frames: 1), Build.frame(0), Build.frameData(1), Build.data()],
    [Build.data(), Build.control(frames: 1), Build.frame(0), Build.frameData(1)],
    [
      Build.control(frames: 1), Build.control(frames: 1), Build.data(), Build.frame(0),
      Build.frameData(1),
    ],
    [
      Build.control(frames: 1), Build.data(), Build.frame(0),
      Build.chunk("fdAT", Build.big(1), breaksChecksum: true),
    ],
    [Build.control(frames: 1), Build.data(), Build.frame(0), Build.chunk("fdAT", [0, 0])],
    [Build.chunk("acTL", [0]), Build.data(), Build.frame(0), Build.frameData(1)],
    [Build.data(), Build.frame(0), Build.frameData(1)],
  ])
  func aBrokenAnimationIsAStillPicture(chunks: [[UInt8]]) throws {
    let file = Build.file(Build.header(), chunks.flatMap { $0 }, Build.end)
    let facts = try PNGContainer.parse(file)
    #expect(facts.frameCount == 1)
    #expect(facts.loopCount == nil)
    #expect(facts.oddities == ["apng-broken"])
    #expect(facts.parts.allSatisfy { $0.kind == .application })
    #expect(
      try PNGContainer.clean(file) == Build.file(Build.header(), Build.data(), Build.end))
  }

  @Test(
    "Frames before a missing or damaged one are kept",
    arguments: [
      [], [Build.frame(3)],
      [Build.frame(3), Build.chunk("fdAT", Build.big(4), breaksChecksum: true)],
      [Build.chunk("fcTL", [1], breaksChecksum: true), Build.frameData(4)],
      [Build.frame(3), Build.chunk("fdAT", Build.big(4) + [0x78, 1, 1])],
      [Build.frame(3), Array(Build.frameData(4).dropLast(12))],
    ])
  func keepsWholeFrames(last: [[UInt8]]) throws {
    let two = [
      Build.frame(0), Build.data(), Build.frame(1, 1, 2, x: 1), Build.frameData(2, width: 1),
    ]
    for end in [Build.end, []] {
      let file = Build.file(
        [Build.header(), Build.control(frames: 3, plays: 2)] + two + last + [end])
      let (facts, clean) = try ImageContainer.parseAndClean(file, as: .png)
      #expect(facts.frameCount == 2)
      #expect(facts.fileFrameCount == 3)
      #expect(facts.losses == ["frames"])
      #expect(facts.loopCount == 2)
      #expect(
        clean
          == Build.file([Build.header(), Build.control(frames: 2, plays: 2)] + two + [Build.end]))
    }
  }

  @Test func theFirstFrameHasToBeWhole() throws {
    let file = Build.file(
      Build.header(), Build.control(frames: 2), Build.frame(0),
      Build.chunk("IDAT", [0x78, 1, 1]), Build.frame(1), Build.frameData(2), Build.end)
    #expect(throws: ContainerError.incomplete("png-rows", percentShown: 0)) {
      try ImageContainer.parseAndClean(file, as: .png)
    }
  }
}
