import Testing

@testable import ImageContainers

private typealias Build = GIFBuilder

/// Products with one planted part each, given directly to the proof.
@Suite struct GIFProofTests {
  private func failure(_ file: [UInt8]) -> String? {
    do {
      _ = try GIFProof.verify(file)
      return nil
    } catch {
      return error.problem
    }
  }

  private static let frame = Build.frame(0, 0, 4, 3)

  private func still(
    _ blocks: [UInt8] = frame, flags: UInt8 = 0x80, background: UInt8 = 0, aspect: UInt8 = 0,
    table: [UInt8] = [0, 0, 0, 255, 255, 255]
  ) -> [UInt8] {
    Array("GIF89a".utf8) + Build.little(4) + Build.little(3) + [flags, background, aspect] + table
      + blocks + Build.trailer
  }

  @Test func whatTheCleanerMakesIsProved() throws {
    for sample in [Build.still, Build.full] {
      let facts = try GIFContainer.parse(sample)
      let verified = try GIFProof.verify(try GIFContainer.clean(sample))
      #expect((verified.width, verified.height) == (facts.storedWidth, facts.storedHeight))
      #expect(verified.frameCount == facts.frameCount)
    }
    #expect(failure(still()) == nil)
  }

  @Test func whatOnlyAWalkWouldDropIsSeen() {
    for block in [
      Build.comment("a dog"), Build.loop(0), Build.application("XMP DataXMP", [1, 7, 0]),
      [0x21, 1, 1, 7, 0], [0],
    ] {
      #expect(failure(still(block + Self.frame)) != nil)
      #expect(failure(still(Self.frame + block)) != nil)
    }
    #expect(failure(still() + [0]) == "gif-trailing")
    #expect(
      failure(Array(still().dropLast())) == "gif-block"
        || failure(Array(still().dropLast())) == "gif-end")
  }

  @Test func numbersThatNobodyReadsAreSeen() {
    #expect(failure(still(flags: 0xF0)) == "gif-flags")
    #expect(failure(still(flags: 0x88)) == "gif-flags")
    #expect(failure(still(background: 1)) == "gif-background")
    #expect(failure(still(aspect: 1)) == "gif-aspect")
    for flag in [0x20, 0x10, 0x08, 0x01] as [UInt8] {
      var frame = Self.frame
      frame[9] |= flag
      #expect(failure(still(frame)) == "gif-flags")
    }
    // A still picture needs no delay and no disposal.
    #expect(failure(still(Build.control() + Self.frame)) == "gif-control")
    #expect(failure(still(Build.control(flags: 4, delay: 0) + Self.frame)) == "gif-control")
    #expect(failure(still(Build.control(flags: 1, delay: 0) + Self.frame)) == nil)
    #expect(
      failure(still(Build.control(flags: 1, delay: 0, index: 9) + Self.frame))
        == "gif-transparent-index")
    let moving = Build.loop(1) + Self.frame
    #expect(failure(still(moving + Build.control() + Self.frame)) == nil)
    for flags in [2, 16, 0x20, 0x80] as [UInt8] {
      #expect(failure(still(moving + Build.control(flags: flags) + Self.frame)) == "gif-control")
    }
    #expect(
      failure(still(moving + Build.control(index: 3) + Self.frame)) == "gif-transparent-index")
    #expect(
      failure(still(moving + Build.control(delay: 0) + Self.frame)) == "gif-control")
  }

  @Test func tablesAndEntriesThatNoPixelShowsAreSeen() {
    #expect(failure(still(table: [1, 0, 0, 255, 255, 255])) == "gif-unused-entry")
    #expect(
      failure(still(flags: 0x81, table: [0, 0, 0, 9, 9, 9, 0, 0, 0, 0, 7, 0]))
        == "gif-unused-entry")
    var local = Build.frame(0, 0, 4, 3, localPalette: true)
    #expect(failure(still(local, flags: 0, table: [])) == "gif-unused-entry")
    local.replaceSubrange(10..<13, with: [0, 0, 0])
    #expect(failure(still(local, flags: 0, table: [])) == nil)
    #expect(failure(still(local)) == "gif-unused-table")
    // A color that is only used as transparent is never shown.
    #expect(
      failure(still(Build.control(flags: 1, delay: 0, index: 1) + Self.frame)) == "gif-unused-table"
    )
  }

  @Test func bytesBehindTheEndCodeAreSeen() {
    let codes = Build.literalCodes(pixels: 12)
    func frame(_ codes: [Int], more: [UInt8] = []) -> [UInt8] {
      still(Build.frame(0, 0, 4, 3, codes: codes, more: more))
    }
    #expect(failure(frame(codes)) == nil)
    // The end code is the 19th code of three bits, so seven bits of padding follow.
    #expect(failure(frame(codes + [1])) == "gif-unread-data")
    #expect(failure(frame(codes + [0, 0, 0, 0, 0])) == "gif-unread-data")
    #expect(failure(frame(codes, more: [2, 65, 65])) == "gif-unread-data")
    #expect(failure(frame(Array(codes.dropLast()))) == "gif-codes")
    #expect(failure(frame([1] + codes.dropFirst() + [5])) != nil)
    #expect(failure(frame([4] + codes)) == "gif-codes")
    #expect(failure(frame(Array(codes.dropLast()) + [4, 5])) == "gif-codes")
    #expect(failure(frame(Array(codes.dropLast()) + [1, 5])) == "gif-codes")
    #expect(failure(frame(Array(codes.dropLast(2)) + [5])) == "gif-end")
    #expect(failure(frame([4, 7, 5])) == "gif-end")
    #expect(failure(still(Build.frame(0, 0, 4, 3, subBlock: 3))) == "gif-unread-data")
    // The last string is longer than the remaining pixels.
    #expect(failure(frame(Array(codes.dropLast(2)) + [6, 5])) == "gif-codes")
  }

  @Test func framesOutsideTheScreenAreSeen() {
    for frame in [
      Build.frame(4, 0, 1, 1), Build.frame(0, 3, 1, 1), Build.frame(3, 0, 2, 1),
      Build.frame(0, 2, 1, 2),
    ] {
      #expect(failure(still(Self.frame + frame)) == "gif-outside")
    }
  }

  /// After any change of one bit, the proof fails or the picture differs.
  @Test(arguments: [Build.still, Build.full]) func noByteIsDead(sample: [UInt8]) throws {
    let clean = try GIFContainer.clean(sample)
    let shown = try Self.shown(clean)
    for place in 6..<clean.count {
      for bit in 0..<8 {
        var file = clean
        file[place] ^= 1 << UInt8(bit)
        guard (try? GIFProof.verify(file)) != nil else { continue }
        #expect((try? Self.shown(file)) != shown, "byte \(place), bit \(bit)")
      }
    }
  }

  /// Returns the pixels, position and delay of each frame, and the colors.
  private static func shown(_ file: [UInt8]) throws -> [[Int]] {
    let structure = try GIFStructure(file, limits: .init())
    let colors =
      [structure.width, structure.height, structure.plays] + file[structure.palette].map(Int.init)
    var codes = GIFImageData()
    return try [colors]
      + structure.frames.map { frame in
        let pixels = try codes.pixels(of: frame.codes, in: file, count: frame.width * frame.height)
        return [
          frame.left, frame.top, frame.width, frame.height, frame.disposal, frame.delay,
          frame.isInterlaced ? 1 : 0, frame.isTransparent ? 1 : 0, frame.transparentIndex,
        ] + file[frame.palette].map(Int.init) + pixels.map(Int.init)
      }
  }
}
