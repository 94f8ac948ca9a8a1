import Testing

@testable import ImageContainers

private typealias Build = PNGBuilder

/// Text planted where decoders do not look: the cleaner takes it out and the pixels stay.
@Suite struct PNGTrimmingTests {
  private static let secret = Array("Anna lives in 5 Dog Street".utf8)
  private static let rows: [UInt8] = [0, 7, 7, 7, 7, 7, 7, 0, 7, 7, 7, 7, 7, 7]

  private func file(_ chunks: [UInt8]...) -> [UInt8] {
    Build.file([Build.header()] + chunks.map { $0 } + [Build.end])
  }

  private func streams(_ file: [UInt8]) throws -> [[UInt8]] {
    try PNGContainer.Pieces(PNGStructure(file, limits: .init()), of: file).streams.map {
      try Inflate.zlib($0, in: 0..<$0.count, limit: 1_000)
    }
  }

  private func expectClean(_ dirty: [UInt8]) throws -> [UInt8] {
    #expect(throws: ProofFailure.self) { try PNGProof.account(for: dirty) }
    let clean = try PNGContainer.clean(dirty)
    _ = try PNGProof.account(for: clean)
    #expect(try PNGContainer.clean(clean) == clean)
    return clean
  }

  @Test func dataBehindTheStreamGoes() throws {
    let plain = file(Build.chunk("IDAT", Build.zlib(Self.rows)))
    #expect(
      try expectClean(file(Build.chunk("IDAT", Build.zlib(Self.rows) + Self.secret))) == plain)
    #expect(
      try expectClean(
        file(Build.chunk("IDAT", Build.zlib(Self.rows)), Build.chunk("IDAT", Self.secret)))
        == plain)
  }

  @Test func oneChunkHoldsAllData() throws {
    let stream = Build.zlib(Self.rows)
    let pieces = file(
      Build.chunk("IDAT", Array(stream[..<5])), Build.chunk("IDAT"),
      Build.chunk("IDAT", Array(stream[5...])))
    #expect(try expectClean(pieces) == file(Build.chunk("IDAT", stream)))
  }

  @Test func rowsBelowTheLastGo() throws {
    let clean = try expectClean(file(Build.chunk("IDAT", Build.zlib(Self.rows + Self.rows))))
    #expect(try streams(clean) == [Self.rows])
  }

  @Test func aWrongChecksumIsMended() throws {
    var stream = Build.zlib(Self.rows)
    stream[stream.count - 1] ^= 1
    #expect(try streams(expectClean(file(Build.chunk("IDAT", stream)))) == [Self.rows])
  }

  @Test func paddingOfRowsGoes() throws {
    let dirty = Build.file(
      Build.header(depth: 1, color: 0),
      Build.chunk("IDAT", Build.zlib([0, 0x95, 2, 0x7F])), Build.end)
    #expect(try streams(expectClean(dirty)) == [[0, 0x80, 0, 0]])
  }

  @Test func entriesThatNoPixelUsesGo() throws {
    func indexed(_ palette: [UInt8], _ transparency: [UInt8]) -> [UInt8] {
      Build.file(
        Build.header(color: 3), Build.chunk("PLTE", palette),
        transparency.isEmpty ? [] : Build.chunk("tRNS", transparency),
        Build.chunk("IDAT", Build.zlib([0, 0, 2, 0, 2, 0])), Build.end)
    }
    #expect(
      try expectClean(indexed([1, 2, 3, 65, 66, 67, 7, 8, 9] + Self.secret.prefix(24), []))
        == indexed([1, 2, 3, 0, 0, 0, 7, 8, 9], []))
    #expect(
      try expectClean(indexed([1, 2, 3, 0, 0, 0, 7, 8, 9, 5, 5, 5], [9, 65, 255, 66]))
        == indexed([1, 2, 3, 0, 0, 0, 7, 8, 9], [9]))
    #expect(
      try expectClean(indexed([1, 2, 3, 0, 0, 0, 7, 8, 9], [9, 65, 8]))
        == indexed([1, 2, 3, 0, 0, 0, 7, 8, 9], [9, 255, 8]))
  }

  @Test func aTransparentColorThatNoPixelHasGoes() throws {
    let data = Build.chunk("IDAT", Build.zlib(Self.rows))
    #expect(
      try expectClean(file(Build.chunk("tRNS", [0, 65, 0, 66, 0, 67]), data)) == file(data))
    #expect(
      try expectClean(file(Build.chunk("tRNS", [65, 7, 66, 7, 67, 7]), data))
        == file(Build.chunk("tRNS", [0, 7, 0, 7, 0, 7]), data))
  }

  @Test func framesOfAnAnimationAreTrimmedToo() throws {
    func animation(_ frameData: [UInt8]...) -> [UInt8] {
      Build.file(
        [Build.header(), Build.control(frames: 2), Build.frame(0), Build.data(), Build.frame(1)]
          + frameData + [Build.end])
    }
    func data(_ number: Int, _ stream: [UInt8]) -> [UInt8] {
      Build.chunk("fdAT", Build.big(number) + stream)
    }
    let stream = Build.zlib(Self.rows)
    let plain = animation(data(2, stream))
    #expect(try expectClean(animation(data(2, stream + Self.secret))) == plain)
    #expect(try expectClean(animation(data(2, stream), data(3, Self.secret))) == plain)
    #expect(
      try expectClean(animation(data(2, Array(stream[..<4])), data(3, Array(stream[4...]))))
        == plain)
    let clean = try expectClean(animation(data(2, Build.zlib(Self.rows + Self.secret))))
    #expect(try streams(clean) == [Self.rows, Self.rows])
  }

  @Test func colorsUnderFullTransparencyGo() throws {
    let rows: [UInt8] = [1, 65, 66, 67, 0, 1, 2, 3, 9, 2, 65, 66, 67, 255, 9, 9, 9, 247]
    // 1: each pixel less the one to the left. 2: less the one above, the second of which comes to alpha
    // 0 as well.
    let dirty = Build.file(
      Build.header(color: 6), Build.chunk("IDAT", Build.zlib(rows)), Build.end)
    let clean = try expectClean(dirty)
    #expect(
      try streams(clean) == [
        [1, 0, 0, 0, 0, 66, 68, 70, 9, 2, 130, 132, 134, 255, 190, 188, 186, 247]
      ])
    let gray = Build.file(
      Build.header(color: 4), Build.chunk("IDAT", Build.zlib([0, 65, 0, 1, 9, 0, 7, 1, 66, 0])),
      Build.end)
    #expect(try streams(expectClean(gray)) == [[0, 0, 0, 1, 9, 0, 7, 1, 0, 0]])
    let interlaced = Build.file(
      Build.header(color: 6, tail: [0, 0, 1]),
      Build.chunk(
        "IDAT",
        Build.zlib([0, 65, 66, 67, 0, 0, 1, 2, 3, 4, 0, 5, 6, 7, 8, 65, 66, 67, 0])),
      Build.end)
    #expect(
      try streams(expectClean(interlaced)) == [
        [0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 5, 6, 7, 8, 0, 0, 0, 0]
      ])
  }

  @Test func entriesThatShowTheSameAreOne() throws {
    func indexed(_ palette: [UInt8], _ transparency: [UInt8], _ rows: [UInt8]) -> [UInt8] {
      Build.file(
        Build.header(color: 3), Build.chunk("PLTE", palette),
        transparency.isEmpty ? [] : Build.chunk("tRNS", transparency),
        Build.chunk("IDAT", Build.zlib(rows)), Build.end)
    }
    let twins = try expectClean(indexed([1, 2, 3, 7, 8, 9, 1, 2, 3], [], [0, 0, 1, 0, 2, 0]))
    #expect(try streams(twins) == [[0, 0, 1, 0, 0, 0]])
    // Which of two colors a pixel would have if it were shown.
    let hidden = try expectClean(
      indexed([65, 66, 67, 68, 69, 70, 7, 8, 9], [0, 0], [0, 0, 1, 0, 1, 2]))
    #expect(try streams(hidden) == [[0, 0, 0, 0, 0, 2]])
    #expect(
      Array(try PNGContainer.Pieces(PNGStructure(hidden, limits: .init()), of: hidden).palette)
        == [0, 0, 0, 0, 0, 0, 7, 8, 9])
  }

  @Test func aPictureThatIsNoFrameGivesWayToTheFirst() throws {
    let frame = Build.zlib(Self.rows)
    func animation(_ still: [UInt8], frames: Int) -> [UInt8] {
      Build.file(
        [Build.header(), Build.control(frames: frames), Build.chunk("IDAT", still)]
          + (0..<frames).flatMap {
            [Build.frame(2 * $0), Build.chunk("fdAT", Build.big(2 * $0 + 1) + frame)]
          } + [Build.end])
    }
    let hidden = Build.zlib([0, 65, 66, 67, 68, 69, 70, 0, 71, 72, 73, 74, 75, 76])
    let two = try expectClean(animation(hidden, frames: 2))
    #expect(try streams(two) == [Self.rows, Self.rows])
    #expect(try PNGContainer.walk(two).frameCount == 2)
    let parts = try PNGContainer.walk(animation(hidden, frames: 2)).parts
    #expect(parts.map(\.kind) == [.secondPicture])
    // One frame that covers the canvas is a still picture.
    let one = try expectClean(animation(hidden, frames: 1))
    #expect(one == file(Build.chunk("IDAT", frame)))
  }

  @Test func aPictureThatIsNoFrameIsZeroWhereTheFirstIsSmaller() throws {
    let dirty = Build.file(
      Build.header(), Build.control(frames: 1),
      Build.chunk("IDAT", Build.zlib([0, 65, 66, 67, 68, 69, 70, 0, 71, 72, 73, 74, 75, 76])),
      Build.frame(0, 1, 1), Build.chunk("fdAT", Build.big(1) + Build.zlib([0, 1, 2, 3])), Build.end)
    let clean = try expectClean(dirty)
    #expect(
      try streams(clean) == [[UInt8](repeating: 0, count: 14), [0, 1, 2, 3]])
    #expect(try PNGContainer.walk(clean).parts.isEmpty)
  }

  @Test(arguments: [1, 2, 3, 4, 258, 259, 261, 262, 100_000])
  func zerosAreDeflatedWithoutLookingAtThem(_ count: Int) throws {
    let stream = Deflate.zeros(count)
    let zeros = try Inflate.zlib(stream, in: 0..<stream.count, limit: count)
    #expect(zeros == [UInt8](repeating: 0, count: count))
  }

  @Test("A checksum that guards no pixel is written again", arguments: [1, 4])
  func aStreamWithoutItsEndIsWhole(missing: Int) throws {
    let stream = Build.zlib(Self.rows)
    let whole = try ImageContainer.walkAndClean(file(Build.chunk("IDAT", stream)), as: .png)
    #expect(whole.facts.repairs.isEmpty)
    var wrong = stream
    wrong[stream.count - 1] ^= 1
    for data in [Array(stream.dropLast(missing)), wrong] {
      let (facts, clean) = try ImageContainer.walkAndClean(
        file(Build.chunk("IDAT", data)), as: .png)
      #expect(facts.repairs == ["png-zlib-checksum"])
      #expect(try ContainerProof.account(for: clean, as: .png).width == 2)
      #expect(try PNGContainer.frames(of: clean).count == 1)
    }
  }

  @Test(
    "Rows that are missing or cannot be followed are named",
    arguments: [
      (Build.zlib(Array(Self.rows.dropLast())), 50), (Build.zlib([9] + Self.rows), 0),
      (Array(Build.zlib(Self.rows).dropLast(5)), 50), ([0x78, 1], 0), ([], 0),
    ])
  func rowsThatAreMissing(stream: [UInt8], percent: Int) throws {
    #expect(throws: ContainerError.incomplete("png-rows", percentShown: percent)) {
      try ImageContainer.walkAndClean(file(Build.chunk("IDAT", stream)), as: .png)
    }
  }

  @Test func missingRowsOfAnInterlacedPictureLieAllOverIt() throws {
    let cut = Build.file(
      Build.header(color: 6, tail: [0, 0, 1]),
      Build.chunk("IDAT", Build.zlib([0, 65, 66, 67, 0, 0, 1, 2, 3, 4])), Build.end)
    #expect(throws: ContainerError.incomplete("png-rows", percentShown: nil)) {
      try ImageContainer.walkAndClean(cut, as: .png)
    }
  }

  @Test func withoutReadingTheStructureAloneIsCleaned() throws {
    let dirty = file(
      Build.text("Comment", "a dog"), Build.chunk("IDAT", Build.zlib(Self.rows) + Self.secret))
    #expect(
      try PNGContainer.walkAndCleanUnread(dirty, limits: .init()).clean
        == file(Build.chunk("IDAT", Build.zlib(Self.rows) + Self.secret)))
  }
}
