import Testing

@testable import ImageContainers

private typealias Build = PNGBuilder

/// The contents of data chunks, and whether all rows are present.
@Suite struct PNGDataTests {
  private static let secret = Array("Anna lives in 5 Dog Street".utf8)
  private static let rows: [UInt8] = [0, 7, 7, 7, 7, 7, 7, 0, 7, 7, 7, 7, 7, 7]

  private func file(_ chunks: [UInt8]...) -> [UInt8] {
    Build.file([Build.header()] + chunks.map { $0 } + [Build.end])
  }

  private func streams(_ file: [UInt8]) throws -> [[UInt8]] {
    let structure = try PNGStructure(file, limits: .init())
    return try structure.pictures.map {
      let stream = structure.stream(of: $0, in: file)
      return try Inflate.zlib(stream, in: 0..<stream.count, limit: 1_000)
    }
  }

  private func expectClean(_ dirty: [UInt8]) throws -> [UInt8] {
    #expect(throws: ProofError.self) { try PNGProof.verify(dirty) }
    let clean = try PNGContainer.clean(dirty)
    _ = try PNGProof.verify(clean)
    #expect(try PNGContainer.clean(clean) == clean)
    return clean
  }

  @Test func oneChunkHoldsAllData() throws {
    let stream = Build.zlib(Self.rows)
    let pieces = file(
      Build.chunk("IDAT", Array(stream[..<5])), Build.chunk("IDAT"),
      Build.chunk("IDAT", Array(stream[5...])))
    #expect(try expectClean(pieces) == file(Build.chunk("IDAT", stream)))
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
    #expect(try PNGContainer.parse(two).frameCount == 2)
    let parts = try PNGContainer.parse(animation(hidden, frames: 2)).parts
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
    #expect(try PNGContainer.parse(clean).parts.isEmpty)
  }

  @Test(arguments: [1, 2, 3, 4, 258, 259, 261, 262, 100_000])
  func zerosAreDeflatedWithoutLookingAtThem(_ count: Int) throws {
    let stream = ZlibStream.zeros(count)
    let zeros = try Inflate.zlib(stream, in: 0..<stream.count, limit: count)
    #expect(zeros == [UInt8](repeating: 0, count: count))
  }

  @Test("A checksum that protects no pixels is corrected", arguments: [1, 4])
  func aStreamWithoutItsEndIsWhole(missing: Int) throws {
    let stream = Build.zlib(Self.rows)
    let whole = try ImageContainer.parseAndClean(file(Build.chunk("IDAT", stream)), as: .png)
    #expect(whole.facts.repairs.isEmpty)
    var wrong = stream
    wrong[stream.count - 1] ^= 1
    for data in [Array(stream.dropLast(missing)), wrong] {
      let (facts, clean) = try ImageContainer.parseAndClean(
        file(Build.chunk("IDAT", data)), as: .png)
      #expect(facts.repairs == ["png-zlib-checksum"])
      #expect(try ContainerProof.verify(clean, as: .png).width == 2)
      #expect(try PNGContainer.frames(of: clean).count == 1)
    }
  }

  @Test(
    "Rows that are missing or can't be followed are named",
    arguments: [
      (Build.zlib(Array(Self.rows.dropLast())), 50), (Build.zlib([9] + Self.rows), 0),
      (Array(Build.zlib(Self.rows).dropLast(5)), 50), ([0x78, 1], 0), ([], 0),
    ])
  func rowsThatAreMissing(stream: [UInt8], percent: Int) throws {
    #expect(throws: ContainerError.incomplete("png-rows", percentShown: percent)) {
      try ImageContainer.parseAndClean(file(Build.chunk("IDAT", stream)), as: .png)
    }
  }

  @Test func missingRowsOfAnInterlacedPictureLieAllOverIt() throws {
    let cut = Build.file(
      Build.header(color: 6, tail: [0, 0, 1]),
      Build.chunk("IDAT", Build.zlib([0, 65, 66, 67, 0, 0, 1, 2, 3, 4])), Build.end)
    #expect(throws: ContainerError.incomplete("png-rows", percentShown: nil)) {
      try ImageContainer.parseAndClean(cut, as: .png)
    }
  }

  @Test func theStructureAloneIsCleaned() throws {
    let dirty = file(
      Build.text("Comment", "a dog"), Build.chunk("IDAT", Build.zlib(Self.rows) + Self.secret))
    let clean = file(Build.chunk("IDAT", Build.zlib(Self.rows) + Self.secret))
    #expect(try ImageContainer.parseAndClean(dirty, as: .png, readingData: false).clean == clean)
    #expect(try PNGContainer.clean(dirty) == clean)
  }
}
