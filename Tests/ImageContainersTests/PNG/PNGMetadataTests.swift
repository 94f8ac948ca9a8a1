import Testing

@testable import ImageContainers

private typealias Build = PNGBuilder

@Suite struct PNGMetadataTests {
  /// A TIFF header and a directory of one entry: orientation 6.
  private let orientation6: [UInt8] =
    Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
    + [0, 0, 0, 0]
  private let place =
    #"<rdf:Description exif:GPSLatitude="52,13.78N" exif:GPSLongitude="21,0.73E"/>"#

  private func facts(_ chunks: [UInt8]...) throws -> ImageFacts {
    try PNGContainer.parse(
      Build.file(Build.header(), Build.data(), chunks.flatMap { $0 }, Build.end))
  }

  private func hex(_ block: [UInt8], _ name: String) -> String {
    let digits = block.map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    return "\n\(name)\n      \(block.count)\n" + digits.joined() + "\n"
  }

  @Test func orientationComesFromTheEXIFChunk() throws {
    let facts = try facts(Build.chunk("eXIf", orientation6))
    #expect(facts.orientation == 6)
    #expect(facts.parts == [.init(.exif, bytes: orientation6.count + 12, origin: "eXIf")])
  }

  @Test func orientationComesFromTextWrittenByImageMagick() throws {
    let text = hex(Array("Exif\0\0".utf8) + orientation6, "exif")
    #expect(try facts(Build.text("Raw profile type exif", text)).orientation == 6)
    let compressed = Build.chunk(
      "zTXt", Array("Raw profile type APP1".utf8) + [0, 0] + Build.zlib(Array(text.utf8)))
    let facts = try facts(compressed)
    #expect(facts.orientation == 6)
    #expect(facts.parts.map(\.kind) == [.exif])
  }

  @Test func theEXIFChunkGoesBeforeText() throws {
    var other = orientation6
    other[19] = 3
    let text = Build.text("Raw profile type exif", hex(other, "exif"))
    #expect(try facts(text, Build.chunk("eXIf", orientation6)).orientation == 6)
  }

  @Test(arguments: [false, true])
  func aPlaceInXMPIsSeen(isCompressed: Bool) throws {
    let packet = Array(place.utf8)
    let chunk = Build.chunk(
      "iTXt",
      Array("XML:com.adobe.xmp".utf8) + [0, isCompressed ? 1 : 0, 0, 0, 0]
        + (isCompressed ? Build.zlib(packet) : packet))
    let facts = try facts(chunk)
    #expect(facts.hasLocation)
    #expect(facts.parts.map(\.kind) == [.xmp])
    #expect(try !PNGContainer.parse(Build.still).hasLocation)
  }

  @Test func namesTheKindOfEveryPart() throws {
    let facts = try facts(
      Build.text("Raw profile type iptc", "x"), Build.text("Raw profile type icc", "x"),
      Build.text("Raw profile type xmp", "x"), Build.text("Title", "x"), Build.chunk("iDOT", [1]),
      Build.chunk("zTXt"), Build.chunk("eXIf"))
    #expect(
      facts.parts.map(\.kind) == [.iptc, .colorProfile, .xmp, .text, .unknown, .text, .exif])
  }

  @Test func hexDigitsAreRead() {
    #expect(
      PNGMetadata.rawProfile(Array("\nexif\n   4\n00fF\n1a2B\n".utf8)) == [0, 0xFF, 0x1A, 0x2B])
    #expect(PNGMetadata.rawProfile(Array("no lines".utf8)) == nil)
  }
}
