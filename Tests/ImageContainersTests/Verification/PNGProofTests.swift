import Testing

@testable import ImageContainers

private typealias Build = PNGBuilder

/// Products with one planted part each, given directly to the proof, without the cleaner.
@Suite struct PNGProofTests {
  private func failure(_ file: [UInt8]) -> String? {
    do {
      _ = try PNGProof.verify(file)
      return nil
    } catch {
      return error.problem
    }
  }

  private static func raw(_ rows: Int = 2, value: UInt8 = 7) -> [UInt8] {
    (0..<rows).flatMap { _ in [0] + [UInt8](repeating: value, count: 6) }
  }

  private func rgb(_ stream: [UInt8]) -> [UInt8] {
    Build.file(Build.header(), Build.chunk("IDAT", stream), Build.end)
  }

  @Test func whatTheCleanerMakesIsProved() throws {
    for sample in [Build.still, Build.animation] {
      let clean = try PNGContainer.clean(sample)
      let facts = try PNGContainer.parse(sample)
      let verified = try PNGProof.verify(clean)
      #expect((verified.width, verified.height) == (facts.storedWidth, facts.storedHeight))
      #expect(verified.frameCount == facts.frameCount)
    }
    #expect(failure(rgb(Build.zlib(Self.raw()))) == nil)
  }

  @Test func bytesBehindTheStreamAreSeen() {
    let stream = Build.zlib(Self.raw())
    #expect(failure(rgb(stream + Array("secret".utf8))) == "png-unread-data")
    #expect(failure(rgb(stream + [0])) == "png-unread-data")
    let second = Build.file(
      Build.header(), Build.chunk("IDAT", stream), Build.chunk("IDAT", Array("secret".utf8)),
      Build.end)
    #expect(failure(second) == "png-chunk-order")
  }

  @Test func rowsBelowTheLastAreSeen() {
    #expect(failure(rgb(Build.zlib(Self.raw(3)))) == "png-surplus-rows")
    #expect(failure(rgb(Build.zlib(Self.raw() + [1]))) == "png-surplus-rows")
    #expect(failure(rgb(Build.zlib(Array(Self.raw().dropLast())))) == "png-missing-rows")
  }

  @Test func aWrongChecksumIsSeen() {
    var stream = Build.zlib(Self.raw())
    stream[stream.count - 1] ^= 1
    #expect(failure(rgb(stream)) == "png-adler")
    var file = rgb(Build.zlib(Self.raw()))
    file[file.count - 1] ^= 1
    #expect(failure(file) == "png-chunk")
    #expect(failure(rgb(Build.zlib(Self.raw())) + [0]) == "png-chunk")
  }

  @Test func whatOnlyAWalkWouldDropIsSeen() {
    let data = Build.chunk("IDAT", Build.zlib(Self.raw()))
    for extra in [
      Build.text("Comment", "a dog"), Build.chunk("pHYs", [0, 0, 0, 1, 0, 0, 0, 1, 0]),
      Build.chunk("PLTE", [1, 2, 3]), Build.chunk("gAMA", Build.big(45_455)),
    ] {
      #expect(failure(Build.file(Build.header(), extra, data, Build.end)) == "png-chunk-order")
      #expect(failure(Build.file(Build.header(), data, extra, Build.end)) == "png-chunk-order")
    }
    #expect(failure(Build.file(Build.header(), data, Build.end, Build.end)) == "png-trailing")
    #expect(
      failure(Build.file(Build.header(), Build.chunk("sRGB", [9]), data, Build.end)) == "png-srgb")
    #expect(failure(Build.file(Build.header(depth: 16), data, Build.end)) == "png-header")
    #expect(
      failure(Build.file(Build.header(tail: [0, 0, 2]), data, Build.end)) == "png-header")
  }

  // MARK: Tables

  private func indexed(
    _ palette: [UInt8], _ transparency: [UInt8] = [], pixels: [UInt8] = [0, 1, 0, 1]
  ) -> [UInt8] {
    Build.file(
      Build.header(color: 3), Build.chunk("PLTE", palette),
      transparency.isEmpty ? [] : Build.chunk("tRNS", transparency),
      Build.chunk("IDAT", Build.zlib([0] + pixels[..<2] + [0] + pixels[2...])), Build.end)
  }

  @Test func entriesThatNoPixelUsesAreSeen() {
    #expect(failure(indexed([1, 2, 3, 4, 5, 6])) == nil)
    #expect(failure(indexed([1, 2, 3, 4, 5, 6, 7, 8, 9])) == "png-unused-entry")
    #expect(failure(indexed([1, 2, 3, 4, 5, 6, 0, 0, 0])) == "png-unused-entry")
    #expect(
      failure(indexed([1, 2, 3, 4, 5, 6, 7, 8, 9], pixels: [0, 2, 0, 2])) == "png-unused-entry")
    #expect(failure(indexed([1, 2, 3, 0, 0, 0, 7, 8, 9], pixels: [0, 2, 0, 2])) == nil)
    #expect(
      failure(indexed([1, 2, 3, 0, 0, 0, 7, 8, 9], [9, 8, 7], pixels: [0, 2, 0, 2]))
        == "png-unused-transparency")
    #expect(
      failure(indexed([1, 2, 3, 0, 0, 0, 7, 8, 9], [9, 255, 7], pixels: [0, 2, 0, 2])) == nil)
    #expect(failure(indexed([1, 2, 3, 4, 5, 6], [9, 255])) == "png-transparency")
    #expect(failure(indexed([1, 2, 3, 4, 5, 6], [9, 8, 7])) == "png-transparency")
    #expect(failure(indexed([1, 2, 3, 4])) == "png-palette")
  }

  @Test func aTransparentColorThatNoPixelHasIsSeen() {
    func file(_ key: [UInt8]) -> [UInt8] {
      Build.file(Build.header(), Build.chunk("tRNS", key), Build.data(), Build.end)
    }
    #expect(failure(file([0, 7, 0, 7, 0, 7])) == nil)
    #expect(failure(file([0, 7, 0, 7, 0, 8])) == "png-unused-transparency")
    // Decoders read only the lower byte.
    #expect(failure(file([1, 7, 0, 7, 0, 7])) == "png-transparency")
  }

  @Test func bitsBehindTheLastPixelOfARowAreSeen() {
    func file(_ rows: [UInt8]) -> [UInt8] {
      Build.file(
        Build.header(depth: 1, color: 0), Build.chunk("IDAT", Build.zlib(rows)), Build.end)
    }
    #expect(failure(file([0, 0x80, 0, 0x40])) == nil)
    #expect(failure(file([0, 0x80, 0, 0x41])) == "png-row-padding")
    // Filter 2 with zeros repeats the row above, so the padding shows only after the filter is undone.
    #expect(failure(file([0, 0xA0, 2, 0xE0])) == "png-row-padding")
    #expect(failure(file([5, 0x80, 0, 0x40])) == "png-filter")
  }

  // MARK: Animations

  private func animation(
    _ second: [UInt8], frames: Int = 2, control: [UInt8] = Build.frame(1)
  ) -> [UInt8] {
    Build.file(
      Build.header(), Build.control(frames: frames), Build.frame(0), Build.data(), control, second,
      Build.end)
  }

  @Test func laterFramesAreReadToTheirEndsAsWell() {
    func data(_ stream: [UInt8], number: Int = 2) -> [UInt8] {
      Build.chunk("fdAT", Build.big(number) + stream)
    }
    let stream = Build.zlib(Self.raw())
    #expect(failure(animation(data(stream))) == nil)
    #expect(failure(animation(data(stream + [1]))) == "png-unread-data")
    #expect(failure(animation(data(Build.zlib(Self.raw(3))))) == "png-surplus-rows")
    #expect(failure(animation(data(stream, number: 3))) == "png-sequence")
    #expect(failure(animation(data(stream) + data([1], number: 3))) == "png-chunk-order")
    #expect(failure(animation(data(stream), frames: 3)) == "png-chunk-order")
    #expect(failure(animation([], frames: 1, control: [])) == "png-actl")
    for control in [
      Build.frame(2), Build.frame(1, x: 1), Build.frame(1, y: 1), Build.frame(1, dispose: 3),
      Build.frame(1, blend: 2),
    ] {
      #expect(failure(animation(data(stream), control: control)) == "png-fctl")
    }
  }

  // MARK: The picture made small

  @Test func theSmallPictureHasTheAveragesOfBlocks() throws {
    let rows: [UInt8] = [0, 10, 20, 30, 50, 60, 70, 1, 20, 30, 40, 40, 40, 40]
    let file = Build.file(
      Build.header(), Build.chunk("IDAT", Build.zlib(rows)), Build.end)
    let whole = try #require(try PNGProof.verify(file, reducedTo: 2).reduced)
    #expect(whole.samples == [10, 20, 30, 50, 60, 70, 20, 30, 40, 60, 70, 80])
    let small = try #require(try PNGProof.verify(file, reducedTo: 1).reduced)
    #expect((small.width, small.height, small.bands) == (1, 1, 3))
    #expect(small.samples == [35, 45, 55])
    let colors = try #require(
      try PNGProof.verify(indexed([0, 0, 0, 4, 5, 6], [0]), reducedTo: 2).reduced)
    #expect(colors.bands == 4)
    #expect(colors.samples == [0, 0, 0, 0, 4, 5, 6, 255, 0, 0, 0, 0, 4, 5, 6, 255])
    #expect(
      try PNGProof.verify(
        Build.file(
          Build.header(tail: [0, 0, 1]),
          Build.chunk("IDAT", Build.zlib([0, 7, 7, 7, 0, 7, 7, 7, 0, 7, 7, 7, 7, 7, 7])), Build.end),
        reducedTo: 2
      ).reduced == nil)
  }

  // MARK: Dead bytes

  /// After any change of one byte, with corrected checksums, the proof fails or the pixels differ.
  @Test(arguments: [Build.still, Build.animation])
  func noByteIsDead(sample: [UInt8]) throws {
    let clean = try PNGContainer.clean(sample)
    let pixels = try Self.pixels(of: clean)
    for place in 8..<clean.count {
      for bit in 0..<8 {
        var file = clean
        file[place] ^= 1 << UInt8(bit)
        #expect((try? PNGProof.verify(file)) == nil, "checksum at \(place)")
        file = Build.withChecksums(file)
        guard file != clean, (try? PNGProof.verify(file)) != nil else { continue }
        let changed = try? Self.pixels(of: file)
        #expect(changed != pixels, "byte \(place), bit \(bit)")
      }
    }
  }

  /// Returns the pixels of each frame, and the chunks that define how they are shown.
  private static func pixels(of file: [UInt8]) throws -> [[UInt8]] {
    let structure = try PNGStructure(file, limits: .init())
    let control = structure.chunks.filter {
      ["IHDR", "sRGB", "PLTE", "tRNS", "acTL", "fcTL"].contains($0.type)
    }
    return structure.pictures.map { picture in
      let stream = structure.stream(of: picture, in: file)
      // Two bits hold the compressor's level, which no decoder uses.
      var pixels: [UInt8] = [stream[1] & 0xC0]
      _ = Inflate.pieces(stream) { pixels += $0 }
      return pixels
    } + control.map { Array(file[$0.data]) }
  }
}
