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

  /// What our reading cannot follow is left to a decoder, and its pixels are coded anew.
  @Test func dataThatCannotBeReadIsTold() throws {
    var stream = Build.zlib(Self.rows)
    let whole = file(Build.chunk("IDAT", stream))
    #expect(try ImageContainer.walkAndClean(whole, as: .png).facts.oddities.isEmpty)
    stream.removeLast(4)
    for data in [stream, Build.zlib(Array(Self.rows.dropLast())), Build.zlib([9] + Self.rows)] {
      let facts = try ImageContainer.walkAndClean(
        file(Build.chunk("IDAT", data)), as: .png
      ).facts
      #expect(facts.oddities == ["png-unread-data"])
    }
  }

  @Test func withoutReadingTheStructureAloneIsCleaned() throws {
    let dirty = file(
      Build.text("Comment", "a dog"), Build.chunk("IDAT", Build.zlib(Self.rows) + Self.secret))
    #expect(
      try PNGContainer.cleanUnread(dirty)
        == file(Build.chunk("IDAT", Build.zlib(Self.rows) + Self.secret)))
  }
}
