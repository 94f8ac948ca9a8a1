import Foundation
import Testing

@testable import ImageContainers

private typealias Build = GIFBuilder

/// Text planted where decoders don't look: the cleaner removes it, and the picture stays the same.
@Suite struct GIFCleaningTests {
  private static let secret = Array("Anna lives in 5 Dog Street".utf8)

  private func file(_ blocks: [UInt8]...) -> [UInt8] {
    Build.header(width: 4, height: 3) + blocks.flatMap { $0 } + Build.trailer
  }

  private func expectClean(_ dirty: [UInt8], refusedFor problem: String? = nil) throws -> [UInt8] {
    let failure = #expect(throws: ProofError.self) { try GIFProof.verify(dirty) }
    if let problem { #expect(failure?.problem == problem) }
    let clean = try GIFContainer.clean(dirty)
    _ = try GIFProof.verify(clean)
    #expect(try GIFContainer.clean(clean) == clean)
    #expect(try GIFContainer.parse(clean).parts.isEmpty)
    return clean
  }

  private func pixels(_ file: [UInt8], frame: Int) throws -> [UInt8] {
    let frame = try GIFStructure(file, limits: .init()).frames[frame]
    var codes = GIFImageData()
    return try codes.pixels(of: frame.codes, in: file, count: frame.width * frame.height)
  }

  @Test func bytesBehindTheEndCodeGo() throws {
    let plain = file(Build.frame(0, 0, 4, 3))
    var inside = Build.frame(0, 0, 4, 3)
    inside[11] += UInt8(Self.secret.count)
    inside.insert(contentsOf: Self.secret, at: inside.count - 1)
    #expect(try expectClean(file(inside)) == plain)
    let more = [UInt8(Self.secret.count)] + Self.secret
    #expect(try expectClean(file(Build.frame(0, 0, 4, 3, more: more))) == plain)
    #expect(try expectClean(file(Build.frame(0, 0, 4, 3, subBlock: 2))) == plain)
    let codes = Build.literalCodes(pixels: 12)
    #expect(try expectClean(file(Build.frame(0, 0, 4, 3, codes: codes + [7, 7]))) == plain)
  }

  @Test func codesOfOneBitAreCodedAnew() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let dirty = [UInt8](
      try Data(contentsOf: root.appending(path: "TestImages/codes-of-one-bit.gif")))
    let expected = (0..<600).map { index -> UInt8 in
      let (y, x) = index.quotientAndRemainder(dividingBy: 30)
      return (x * x + 3 * y) / 7 % 2 == 0 ? 0 : 1
    }
    #expect(try pixels(dirty, frame: 0) == expected)
    #expect(try pixels(try expectClean(dirty), frame: 0) == expected)
  }

  @Test func codesWithMoreThanPixelsAreCodedAnew() throws {
    let codes = Build.literalCodes(pixels: 12)
    for odd in [
      Array(codes.dropLast()), [4] + codes, Array(codes.dropLast(2)) + [6, 5],
      Array(codes.dropLast()) + [4, 5],
    ] {
      let clean = try expectClean(file(Build.frame(0, 0, 4, 3, codes: odd)))
      #expect(try pixels(clean, frame: 0) == [UInt8](repeating: 1, count: 12))
    }
  }

  @Test func entriesThatShowTheSameAreOne() throws {
    // Entries 1 and 2 alternate. A table of two entries has no entry 2 or 3.
    let codes = (0..<6).flatMap { [4, $0.isMultiple(of: 2) ? 1 : 2, 1] } + [5]
    let behind = (0..<6).flatMap { [4, $0.isMultiple(of: 2) ? 3 : 2, 1] } + [5]
    var dirty = file(Build.frame(0, 0, 4, 3, codes: behind, localPalette: true))
    let two = try expectClean(dirty, refusedFor: "gif-twin-entry")
    #expect(Set(try pixels(two, frame: 0)).count == 2)
    dirty = Build.header(width: 4, height: 3)
    dirty[10] = 0x81
    dirty.replaceSubrange(13..., with: [1, 1, 1, 9, 8, 7, 9, 8, 7, 2, 2, 2])
    dirty += Build.frame(0, 0, 4, 3, codes: codes) + Build.trailer
    let one = try expectClean(dirty, refusedFor: "gif-twin-entry")
    #expect(Set(try pixels(one, frame: 0)) == [1])
  }

  @Test func entriesAndTablesThatNoPixelShowsGo() throws {
    var dirty = file(Build.frame(0, 0, 4, 3))
    dirty.replaceSubrange(13..<16, with: Array("abc".utf8))
    #expect(try expectClean(dirty) == file(Build.frame(0, 0, 4, 3)))
    let local = try expectClean(file(Build.frame(0, 0, 4, 3, localPalette: true)))
    #expect(Array(local[10..<13]) == [0, 0, 0], "no global table")
    #expect(Array(local[23..<29]) == [0, 0, 0, 4, 5, 6])
  }

  @Test func numbersThatNobodyReadsBecomeZero() throws {
    var dirty = file(Build.control(flags: 0xE2, delay: 7, index: 65) + Build.frame(0, 0, 4, 3))
    (dirty[10], dirty[11], dirty[12]) = (0xF8, 65, 66)
    dirty[13 + 6 + 8 + 9] |= 0x38
    #expect(try expectClean(dirty) == file(Build.frame(0, 0, 4, 3)))
    let transparent = try expectClean(
      file(Build.control(flags: 1, delay: 0, index: 65) + Build.frame(0, 0, 4, 3)))
    #expect(transparent[13 + 6 + 6] == 0, "the first index that no pixel has")
  }

  @Test func aFrameOutsideTheScreenWaitsAsOneTransparentPixel() throws {
    let dirty = file(
      Build.loop(0), Build.frame(0, 0, 4, 3), Build.control(delay: 33),
      Build.frame(9, 9, 20, 20, localPalette: true), Build.frame(0, 0, 1, 1))
    let clean = try expectClean(dirty)
    let frames = try GIFStructure(clean, limits: .init()).frames
    #expect(frames.count == 3)
    #expect((frames[1].width, frames[1].height, frames[1].delay) == (1, 1, 33))
    #expect(frames[1].isTransparent && frames[1].transparentIndex == 0)
    #expect(try pixels(clean, frame: 1) == [0])
    #expect(try GIFContainer.parse(clean).hasAlpha == GIFContainer.parse(dirty).hasAlpha)
  }

  @Test func whatReachesOverTheBorderIsCutOff() throws {
    // Two by two pixels of four by three are visible. The rows are stored in display order, although the frame is
    // interlaced.
    var frame = Build.frame(
      2, 1, 3, 4, codes: [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3].flatMap { [4, $0] } + [5])
    frame[9] |= 0x40
    let clean = try expectClean(
      file(Build.loop(0), Build.frame(0, 0, 4, 3), frame))
    let part = try GIFStructure(clean, limits: .init()).frames[1]
    #expect((part.left, part.top, part.width, part.height) == (2, 1, 2, 2))
    #expect(!part.isInterlaced)
    // The data has rows 0, 2, 1, 3 (passes of 8, 8, 4 and 2), so row 1 is the third. Outside the table of two colors, 2
    // and 3 look the same.
    #expect(try pixels(clean, frame: 1) == [0, 1, 2, 2])
  }

  /// The reader and the decoder accept the writer's output, with growing codes and full dictionaries.
  @Test(arguments: [2, 3, 17, 256]) func whatIsEncodedIsReadAgain(colors: Int) throws {
    var numbers = SeededNumbers(state: UInt64(colors))
    for count in [1, 2, 5, 700, 30_000] {
      let pixels = (0..<count).map { _ in UInt8(Int.random(in: 0..<colors, using: &numbers)) }
      let coded = GIFCodes.encode(pixels)
      var frame = Array(Build.frame(0, 0, count, 1, codes: [5]).prefix(10))
      frame.append(UInt8(coded.literalBits))
      GIFCodes.append(coded.data, to: &frame)
      let file = Build.header(width: count, height: 1) + frame + Build.trailer
      #expect(try self.pixels(file, frame: 0) == pixels)
      #expect(try GIFStructure(file, limits: .init()).frames[0].codes.isPlain)
    }
  }
}
