import Testing

@testable import ImageContainers

@Suite struct EXIFTests {
  private func read(_ tiff: TIFFBuilder) -> EXIF? {
    let bytes = tiff.bytes
    return EXIF.parse(bytes, in: 0..<bytes.count)
  }

  @Test(arguments: 1...8, [false, true])
  func orientations(value: Int, isBigEndian: Bool) {
    var tiff = TIFFBuilder(isBigEndian: isBigEndian)
    tiff.main = [.short(274, UInt16(value))]
    #expect(read(tiff)?.orientation == value)
  }

  @Test(arguments: [0, 9, 65_535] as [UInt16])
  func otherOrientationsAreNone(value: UInt16) {
    var tiff = TIFFBuilder()
    tiff.main = [.short(274, value)]
    #expect(read(tiff) == EXIF())
  }

  @Test func headerIsFoundBehindItsPrefixAndInsideALargerFile() {
    var tiff = TIFFBuilder(isBigEndian: true)
    tiff.main = [.ascii(306, "2026:11:20 10:00:00"), .short(274, 8)]
    let block = Array("Exif\0\0".utf8) + tiff.bytes
    let file = [1, 2, 3] + block + [9]
    let exif = EXIF.parse(file, in: 3..<3 + block.count)
    #expect(exif?.orientation == 8)
    #expect(exif?.capturedAt == "2026-11-20T10:00:00")
    #expect(EXIF.parse(file, in: 0..<file.count) == nil)
    #expect(EXIF.parse([], in: 0..<100) == nil)
  }

  @Test func originalDateComesFirstWithItsZone() {
    var tiff = TIFFBuilder()
    tiff.main = [.ascii(306, "2020:01:01 00:00:00")]
    tiff.details = [
      .ascii(36868, "2021:01:01 00:00:00"), .ascii(36867, "2026:11:20 10:00:00"),
      .ascii(36880, "+05:00"), .ascii(36881, "+01:00"),
    ]
    #expect(read(tiff)?.capturedAt == "2026-11-20T10:00:00+01:00")
    tiff.details[1] = .ascii(36867, "0000:00:00 00:00:00")
    #expect(read(tiff)?.capturedAt == "2021-01-01T00:00:00")
    tiff.details[0] = .ascii(36868, "    :  :     :  :  ")
    #expect(read(tiff)?.capturedAt == "2020-01-01T00:00:00+05:00")
  }

  @Test(arguments: [
    ("2024:02:29 23:59:59", "2024-02-29T23:59:59" as String?),
    ("2024-02-29T23:59:59", "2024-02-29T23:59:59"),
    ("2023:02:29 00:00:00", nil), ("2026:13:01 00:00:00", nil), ("2026:11:31 00:00:00", nil),
    ("2026:11:20 24:00:00", nil), ("2026:11:20 10:60:00", nil), ("2026:11:20", nil), ("", nil),
    ("2026:11:20 10:00:0x", nil), ("0000:11:20 10:00:00", nil),
  ])
  func datesAreThoseOfTheCalendar(text: String, date: String?) {
    var tiff = TIFFBuilder()
    tiff.main = [.ascii(306, text)]
    #expect(read(tiff)?.capturedAt == date)
  }

  @Test(arguments: ["+1:00", "+15:00", "+01:60", "    ", "01:00 ", "<b>aaa"])
  func senselessZonesAreLeftOut(zone: String) {
    var tiff = TIFFBuilder()
    tiff.details = [.ascii(36867, "2026:11:20 10:00:00"), .ascii(36881, zone)]
    #expect(read(tiff)?.capturedAt == "2026-11-20T10:00:00")
  }

  @Test func datesInTheWrongDirectoryAreFound() {
    var tiff = TIFFBuilder()
    tiff.main = [.ascii(306, "2020:01:01 00:00:00"), .ascii(36867, "2026:11:20 10:00:00")]
    #expect(read(tiff)?.capturedAt == "2026-11-20T10:00:00")
  }

  private func gps(
    _ latitude: [(Int, Int)], _ north: String, _ longitude: [(Int, Int)], _ east: String,
    isBigEndian: Bool = false
  ) -> EXIF? {
    var tiff = TIFFBuilder(isBigEndian: isBigEndian)
    tiff.gps = [
      .ascii(1, north), .rationals(2, latitude), .ascii(3, east), .rationals(4, longitude),
    ]
    return read(tiff)
  }

  @Test(arguments: [false, true])
  func positions(isBigEndian: Bool) throws {
    let exif = try #require(
      gps(
        [(33, 1), (51, 1), (108, 5)], "S", [(151, 1), (12_5, 10), (0, 1)], "E",
        isBigEndian: isBigEndian))
    #expect(exif.hasGPS)
    #expect(exif.position == .init(latitude: -33.856, longitude: 151 + 12.5 / 60))
    let west = gps([(4_642, 100)], "n", [(7, 1), (30, 1)], "w")
    #expect(west?.position == .init(latitude: 46.42, longitude: -7.5))
  }

  @Test func unreadablePositionsAreStillNoticed() {
    let good = [(10, 1), (0, 1), (0, 1)]
    let broken: [EXIF?] = [
      gps([(0, 0), (0, 0), (0, 0)], "N", good, "E"), gps([(91, 1)], "N", good, "E"),
      gps(good, "N", [(181, 1)], "E"), gps(good, "", good, "E"), gps(good, "N", good, "N"),
      gps([(10, 1), (61, 1)], "N", good, "E"), gps(good + good, "N", good, "E"),
      gps([(0, 1)], "N", [(0, 1)], "E"),
    ]
    for exif in broken {
      #expect(exif?.hasGPS == true)
      #expect(exif?.position == nil)
    }
    var tiff = TIFFBuilder()
    tiff.gps = [.ascii(29, "2026:11:20")]
    #expect(read(tiff)?.hasGPS == false)
  }

  @Test func thumbnailIsMeasured() {
    var tiff = TIFFBuilder()
    tiff.main = [.short(274, 1)]
    tiff.thumbnail = [UInt8](repeating: 7, count: 321)
    #expect(read(tiff)?.thumbnailBytes == 321)
    let cut = Array(tiff.bytes.dropLast(21))
    #expect(EXIF.parse(cut, in: 0..<cut.count)?.thumbnailBytes == 300)
  }

  @Test func hugeCountsCostNothingAndHideNothing() {
    var tiff = TIFFBuilder()
    var field = TIFFBuilder.Field.ascii(306, "2026:11:20 10:00:00")
    field.count = 0xFFFF_FFFF
    tiff.main = [field, .short(274, 5)]
    #expect(read(tiff)?.orientation == 5)
    #expect(read(tiff)?.capturedAt == nil)
  }

  @Test func directoriesInACircleEnd() {
    // IFD0 refers to itself as EXIF, GPS and next directory.
    var bytes: [UInt8] = Array("II*\0".utf8) + [8, 0, 0, 0, 2, 0]
    for tag: [UInt8] in [[0x69, 0x87], [0x25, 0x88]] {
      bytes += tag + [4, 0, 1, 0, 0, 0, 8, 0, 0, 0]
    }
    bytes += [8, 0, 0, 0]
    #expect(EXIF.parse(bytes, in: 0..<bytes.count) == EXIF())
  }

  @Test func everyCutAndEveryByteIsSurvived() {
    var tiff = TIFFBuilder()
    tiff.main = [.short(274, 6), .ascii(306, "2026:11:20 10:00:00")]
    tiff.details = [.ascii(36867, "2026:11:20 10:00:00")]
    tiff.gps = [.ascii(1, "N"), .rationals(2, [(1, 1)]), .ascii(3, "E"), .rationals(4, [(1, 1)])]
    tiff.thumbnail = [1, 2, 3]
    let block = tiff.bytes
    for count in 0..<block.count {
      let exif = EXIF.parse(Array(block.prefix(count)), in: 0..<block.count)
      #expect((exif == nil) == (count < 8))
    }
    for place in 8..<block.count {
      for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFF] {
        var changed = block
        changed[place] = value
        #expect(EXIF.parse(changed, in: 0..<changed.count) != nil)
      }
    }
  }
}
