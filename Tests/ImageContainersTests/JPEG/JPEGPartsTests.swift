import Testing

@testable import ImageContainers

/// Parts that aren't the picture: `parse` names them, and `clean` removes them.
@Suite struct JPEGPartsTests {
  typealias Build = JPEGBuilder

  static let secret = "52.5200N 13.4050E"
  static let xmpHead = "http://ns.adobe.com/xap/1.0/\0"

  private func parts(_ file: [UInt8]) throws -> [ContainerPart] {
    try JPEGContainer.parse(file).parts
  }

  /// Returns whether the text occurs anywhere in the bytes.
  private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
    let text = Array(text.utf8)
    return bytes.indices.contains { bytes[$0...].starts(with: text) }
  }

  @Test(
    arguments: Array(0xE0...0xEF) + [0xFE],
    [
      "", "JFIF\0", "JFXX\0", "Exif\0\0", xmpHead, "http://ns.adobe.com/xmp/extension/\0",
      "ICC_PROFILE\0", "MPF\0", "Photoshop 3.0\0", "Adobe", "Ducky",
    ])
  func nothingSurvivesInAnyCarrier(marker: Int, signature: String) throws {
    let origin = Build.segment(UInt8(marker), signature + Self.secret)
    let file = Build.join(
      Build.soi, origin, Build.jfif, Build.picture(), origin, Build.scan([1]), origin,
      Build.eoi, Array(Self.secret.utf8))
    #expect(contains(file, Self.secret))
    let clean = try JPEGContainer.clean(file)
    #expect(!contains(clean, Self.secret))
    let facts = try JPEGContainer.parse(file)
    #expect(facts.parts.reduce(0) { $0 + $1.byteCount } == 3 * origin.count + 17)
    #expect(try JPEGContainer.parse(clean).parts.isEmpty)
    #expect(try JPEGContainer.clean(clean) == clean)
  }

  @Test func partsAreNamedInFileOrder() throws {
    let file = Build.file(
      head: Build.join(
        Build.segment(0xE0, "JFXX\0", [0x10]), Build.segment(0xE1, "Exif\0\0"),
        Build.segment(0xE1, Self.xmpHead), Build.segment(0xE2, "ICC_PROFILE\0", [1, 1, 7]),
        Build.segment(0xED, "Photoshop 3.0\0"), Build.segment(0xFE, "hello"),
        Build.segment(0xEC, "Ducky")),
      tail: [1, 2, 3])
    #expect(
      try parts(file) == [
        ContainerPart(.thumbnail, bytes: 10, origin: "APP0"),
        ContainerPart(.exif, bytes: 10, origin: "APP1"),
        ContainerPart(.xmp, bytes: 33, origin: "APP1"),
        ContainerPart(.colorProfile, bytes: 19, origin: "APP2"),
        ContainerPart(.iptc, bytes: 18, origin: "APP13"),
        ContainerPart(.comment, bytes: 9, origin: "COM"),
        ContainerPart(.application, bytes: 9, origin: "APP12"),
        ContainerPart(.trailing, bytes: 3, origin: "after EOI"),
      ])
  }

  @Test func profileChunksAreJoinedInTheOrderOfTheirNumbers() throws {
    let file = Build.file(
      head: Build.join(
        Build.segment(0xE2, "ICC_PROFILE\0", [2, 9, 4, 5]),
        Build.segment(0xE2, "ICC_PROFILE\0", [1, 9, 1, 2, 3]),
        Build.segment(0xE2, "ICC_PROFILE\0", [2, 9, 6])))
    #expect(try JPEGContainer.parse(file).colorTag == .profile([1, 2, 3, 4, 5]))
  }

  @Test func colorSegmentsAreKeptInTheirPlainForm() throws {
    let jfif = Build.segment(0xE0, "JFIF\0", [1, 2, 1, 0, 72, 0, 72, 0, 0])
    let adobe = Build.segment(0xEE, "Adobe", [0, 101, 0x40, 0, 0, 0, 2, 1, 2, 3])
    let file = Build.file(head: adobe + jfif)
    #expect(try parts(file).map(\.byteCount) == [adobe.count, jfif.count])
    #expect(try JPEGContainer.clean(file) == Build.file(head: Build.jfif))
    #expect(
      try JPEGContainer.clean(Build.file(head: adobe))
        == Build.file(head: Build.adobe(transform: 1)))
    let gray = Build.picture(components: [1])
    #expect(try JPEGContainer.clean(Build.file(head: adobe, gray)) == Build.file(gray))
    let inks = Build.picture(components: [1, 2, 3, 4])
    #expect(
      try JPEGContainer.clean(Build.file(head: adobe + jfif, inks))
        == Build.file(head: Build.jfif + Build.adobe(transform: 2), inks))
  }

  @Test func tablesThatNoComponentRefersToAreDropped() throws {
    let unused = Build.join(
      Build.quantization(3), Build.huffman(1), Build.segment(0xCC, [0x10, 5]), Build.huffman(0x13))
    let file = Build.join(Build.soi, unused, Build.picture(), Build.eoi)
    #expect(try JPEGContainer.clean(file) == Build.file())
  }

  @Test func lastOfRepeatedTablesIsKept() throws {
    let other = Build.segment(0xDB, [0] + [UInt8](repeating: 9, count: 64))
    let file = Build.join(Build.soi, other, Build.picture(), Build.eoi)
    #expect(try JPEGContainer.clean(file) == Build.file())
  }

  @Test func headersSayOnlyWhatDecodes() throws {
    // The file has unusual IDs and table numbers, steps of two bytes, and an interval longer than the data.
    let steps = Build.segment(0xDB, [0x12] + (0..<64).flatMap { _ in [0, 1] as [UInt8] })
    let frame = Build.segment(
      0xC1, [8, 0, 8, 0, 16, 3, 77, 0x11, 2, 78, 0x11, 2, 79, 0x11, 2])
    let scan = Build.segment(0xDA, [3, 77, 0x32, 78, 0x32, 79, 0x32, 5, 60, 0x12]) + Build.entropy
    let file = Build.join(
      Build.soi, Build.segment(0xDD, [0, 9]), Build.huffman(3), Build.huffman(0x12), steps, frame,
      scan, Build.eoi)
    #expect(try JPEGContainer.clean(file) == Build.file())
  }

  @Test func lettersOfRGBStay() throws {
    let file = Build.file(Build.picture(components: Array("RGB".utf8)))
    #expect(try JPEGContainer.clean(file) == file)
  }

  @Test func lastAdobeSegmentBeforeTheScanDecides() throws {
    let file = Build.join(
      Build.soi, Build.adobe(transform: 0), Build.adobe(transform: 1), Build.picture(),
      Build.adobe(transform: 2), Build.eoi)
    #expect(
      try JPEGContainer.clean(file)
        == Build.file(head: Build.adobe(transform: 1)))
    #expect(try parts(file).count == 2)
  }

  @Test func shortColorSegmentsDecideNothing() throws {
    let head = Build.segment(0xE0, "JFIF\0", [1, 1]) + Build.segment(0xEE, "Adobe", [0, 100])
    #expect(try JPEGContainer.clean(Build.file(head: head)) == Build.file())
  }

  @Test func strayAndFillBytesAreDropped() throws {
    let stray: [UInt8] = [1, 2, 0xFF, 0, 3, 0xFF, 0xD5]
    let fill: [UInt8] = [0xFF, 0xFF, 0xFF]
    let file = Build.join(
      Build.soi, fill, Build.quantization(0), stray, Build.picture(), fill, Build.eoi)
    #expect(
      try parts(file) == [ContainerPart(.unknown, bytes: 13, origin: "between segments")])
    #expect(try JPEGContainer.clean(file) == Build.file())
  }

  @Test func tablesAfterTheLastScanAreDropped() throws {
    let file = Build.file(Build.picture() + Build.quantization(1))
    #expect(
      try parts(file) == [ContainerPart(.unknown, bytes: 69, origin: "after the last scan")])
    #expect(try JPEGContainer.clean(file) == Build.file())
  }

  @Test func orientationIsThatOfTheFirstReadableBlock() throws {
    func block(_ orientation: UInt16) -> [UInt8] {
      var tiff = TIFFBuilder()
      tiff.main = [.short(274, orientation)]
      return Build.segment(0xE1, Array("Exif\0\0".utf8) + tiff.bytes)
    }
    let unreadable = Build.segment(0xE1, "Exif\0\0nothing")
    let facts = try JPEGContainer.parse(Build.file(head: unreadable + block(6) + block(3)))
    #expect(facts.orientation == 6)
    #expect(facts.uprightWidth == 8)
    #expect(facts.uprightHeight == 16)
    #expect(try JPEGContainer.parse(Build.file(head: block(9))).orientation == 1)
  }

  @Test func placeInXMPCounts() throws {
    let xmp = Build.segment(0xE1, Self.xmpHead + "<x exif:GPSLatitude='52,31N'/>")
    #expect(try JPEGContainer.parse(Build.file(head: xmp)).hasLocation)
    #expect(try !JPEGContainer.parse(Build.file()).hasLocation)
  }

  @Test func secondPicturesAreNamedByWhatTheyAre() throws {
    let gainMap = Build.file(
      head: Build.segment(0xE1, Self.xmpHead + "<x hdrgm:Version='1.0'/>"))
    let isoGainMap = Build.file(head: Build.segment(0xE2, "urn:iso:std:iso:ts:21496:-1\0"))
    let tail = Build.join(Build.file(), [0, 0], gainMap, isoGainMap, Array("PK".utf8))
    #expect(
      try parts(Build.file(tail: tail)) == [
        ContainerPart(.secondPicture, bytes: Build.file().count, origin: "after EOI"),
        ContainerPart(.trailing, bytes: 2, origin: "after EOI"),
        ContainerPart(.gainMap, bytes: gainMap.count, origin: "after EOI"),
        ContainerPart(.gainMap, bytes: isoGainMap.count, origin: "after EOI"),
        ContainerPart(.trailing, bytes: 2, origin: "after EOI"),
      ])
  }

  @Test func filmsAreFound() throws {
    let film = Build.join([0, 0, 0, 16], Array("ftypmp42".utf8), [0, 0, 0, 0, 1, 2, 3])
    let samsung = Array("MotionPhoto_Data".utf8)
    #expect(
      try parts(Build.file(tail: samsung + film)).map(\.kind) == [.trailing, .motionVideo])
    let xmp = Build.segment(0xE1, Self.xmpHead + "<x GCamera:MotionPhoto=\"1\"/>")
    #expect(
      try parts(Build.file(head: xmp, tail: [1, 2, 3])).map(\.kind) == [.xmp, .motionVideo])
  }

  @Test func aFilmBehindABrokenPictureIsFound() throws {
    let film = Build.join([0, 0, 0, 16], Array("ftypmp42".utf8), [0, 0, 0, 0, 1, 2, 3])
    let broken = Array(Build.file().dropLast(2))
    #expect(
      try parts(Build.file(tail: broken + film)).map(\.kind) == [.secondPicture, .motionVideo])
  }

  @Test(
    "The contents of application segments and comments are identified by their signature",
    arguments: [
      ([0, 0, 0, 16] + Array("ftypqt  ".utf8), .motionVideo),
      ([0, 0, 0, 24] + Array("ftypheic".utf8), .secondPicture),
      ([0x89] + Array("PNG\r\n\u{1A}\n".utf8), .secondPicture),
      (Array("GIF89a".utf8), .secondPicture), (Array("RIFF1234WEBP".utf8), .secondPicture),
      (Build.file(), .secondPicture),
      // These are not signatures.
      ([0, 0, 0, 16] + Array("ftyp".utf8) + [0, 0, 0, 0], nil), ([0xFF, 0xD8, 0xFF, 0xFF], nil),
      (Array("GIF88a".utf8), nil), (Array("RIFF1234WAVE".utf8), nil),
    ] as [([UInt8], ContainerPart.Kind?)])
  func segments(_ held: [UInt8], _ kind: ContainerPart.Kind?) throws {
    for (marker, usual): (UInt8, ContainerPart.Kind) in [(0xE9, .application), (0xFE, .comment)] {
      let segment = Build.segment(marker, "MAKER", held + [UInt8](repeating: 7, count: 12))
      let kinds = try parts(Build.file(head: segment)).map(\.kind)
      #expect(kinds == [usual] + (kind.map { [$0] } ?? []))
    }
  }

  @Test func zerosAmongManyUnknownBytesArePadding() throws {
    let zeros = [UInt8](repeating: 0, count: 2_000)
    #expect(
      try parts(Build.file(tail: zeros + [1, 2])) == [
        ContainerPart(.trailing, bytes: 2, origin: "after EOI"),
        ContainerPart(.padding, bytes: 2_000, origin: "after EOI"),
      ])
  }

  @Test func boxesOfJUMBFAreContentCredentials() throws {
    func kind(_ type: String) throws -> ContainerPart.Kind? {
      let head = Array("JP".utf8) + [0, 1, 0, 0, 0, 1, 0, 0, 0, 20] + Array(type.utf8)
      return try parts(Build.file(head: Build.segment(0xEB, head))).first?.kind
    }
    #expect(try kind("jumb") == .contentCredentials)
    #expect(try kind("RESI") == .application)
  }

  @Test func depthInExtendedXMPIsALoss() throws {
    let head =
      Build.segment(0xE1, Self.xmpHead + "<x GDepth:Format='RangeInverse' more/>")
      + Build.segment(0xE1, "http://ns.adobe.com/xmp/extension/\0data")
    #expect(try parts(Build.file(head: head)).map(\.kind) == [.xmp, .depthMap])
  }
}
