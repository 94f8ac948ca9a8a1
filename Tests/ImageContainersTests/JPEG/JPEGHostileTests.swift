import Testing

@testable import ImageContainers

/// Arbitrary bytes give a result or an error, never a trap.
@Suite struct JPEGHostileTests {
  typealias Build = JPEGBuilder

  /// A file with a sample of every part.
  private var sample: [UInt8] {
    var tiff = TIFFBuilder()
    tiff.main = [.short(274, 6), .ascii(306, "2026:11:20 10:00:00")]
    tiff.gps = [.ascii(1, "N"), .rationals(2, [(52, 1), (31, 1), (12, 1)])]
    let exif = Build.segment(0xE1, Array("Exif\0\0".utf8) + tiff.bytes)
    let xmp = Build.segment(
      0xE1, "http://ns.adobe.com/xap/1.0/\0<x exif:GPSLatitude='1' GCamera:MotionPhoto='1'/>")
    let head = Build.join(
      Build.jfif, exif, xmp, Build.segment(0xE2, "ICC_PROFILE\0", [1, 1, 1, 2, 3]),
      Build.adobe(transform: 1))
    let progressive = Build.join(
      Build.quantization(0), Build.huffman(0), Build.frame(0xC2), Build.scan(band: [0, 0, 0]),
      Build.huffman(0x10), Build.scan([1], band: [1, 63, 0]))
    let film = Build.join([0, 0, 0, 16], Array("ftypmp42".utf8), [0, 0, 0, 0])
    return Build.file(head: head, progressive, tail: Build.file() + film)
  }

  /// Checks what holds for every file: a valid file is valid and clean after cleaning.
  private func check(_ bytes: [UInt8]) -> Bool {
    guard var facts = try? JPEGContainer.parse(bytes) else {
      #expect((try? JPEGContainer.clean(bytes)) == nil)
      return false
    }
    guard let clean = try? JPEGContainer.clean(bytes),
      let cleanFacts = try? JPEGContainer.parse(clean)
    else {
      Issue.record("parses, but cannot be cleaned: \(bytes)")
      return true
    }
    facts.parts = []
    facts.exif = nil
    facts.orientation = 1
    facts.hasLocation = false
    facts.colorTag = .untagged
    #expect(cleanFacts == facts)
    #expect((try? JPEGContainer.clean(clean)) == clean)
    return true
  }

  @Test func truncationsAreRefusedUpToTheEnd() throws {
    let file = sample
    let end = try JPEGSegments(file, limits: .init()).end
    for count in 0...file.count {
      #expect(check(Array(file.prefix(count))) == (count >= end))
    }
  }

  @Test func randomChangesNeverTrap() {
    var random = SeededNumbers(state: 1)
    let file = sample
    var accepted = 0
    for _ in 0..<20_000 {
      var bytes = file
      for _ in 0...random.next(below: 4) {
        let place = random.next(below: bytes.count)
        switch random.next(below: 4) {
        case 0: bytes[place] = UInt8(random.next(below: 256))
        case 1: bytes[place] = 0xFF
        case 2: bytes.remove(at: place)
        default: bytes.insert(UInt8(random.next(below: 256)), at: place)
        }
      }
      if check(bytes) { accepted += 1 }
    }
    // The test has covered both outcomes.
    #expect((1_000...19_000).contains(accepted))
  }

  @Test func manyFalseStartsInTheTailCostOnePass() throws {
    let starts = (0..<200_000).flatMap { _ in [UInt8](arrayLiteral: 0xFF, 0xD8, 0xFF) }
    let facts = try JPEGContainer.parse(Build.file(tail: starts))
    #expect(facts.parts.map(\.byteCount) == [600_000])
    let empty = (0..<200_000).flatMap { _ in Build.soi + Build.eoi }
    #expect(try JPEGContainer.parse(Build.file(tail: empty)).parts.map(\.kind) == [.trailing])
  }
}
