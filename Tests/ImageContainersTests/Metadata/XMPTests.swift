import Testing

@testable import ImageContainers

@Suite struct XMPTests {
  private func read(_ text: String) -> XMP {
    let bytes = Array(text.utf8)
    return XMP.parse(bytes, in: 0..<bytes.count)
  }

  @Test(arguments: [
    "exif:GPSLatitude=\"52,31.2N\"", "<exif:GPSLongitude>13,24.3E<", "drone-dji:GpsLatitude='1'",
  ])
  func places(text: String) {
    #expect(read("<x \(text)/> <?end?>") == XMP(hasLocation: true))
  }

  @Test(arguments: [
    ("GCamera:MotionPhoto=\"1\"", true), ("GCamera:MicroVideo='1'", true),
    ("<Camera:MotionPhoto>1</Camera:MotionPhoto>", true), ("GCamera:MotionPhoto = \"1\"", true),
    ("GCamera:MotionPhoto=\"0\"", false), ("GCamera:MotionPhotoVersion=\"1\"", false),
    ("Item:Semantic=\"MotionPhoto\"", false), ("GCamera:MicroVideoOffset=\"1\"", false),
  ])
  func films(text: String, isMotionPhoto: Bool) {
    #expect(read("<x \(text)/> <?end?>") == XMP(isMotionPhoto: isMotionPhoto))
  }

  @Test func mapsOfGainAndDepth() {
    #expect(read("<x hdrgm:Version=\"1.0\"/>") == XMP(hasGainMap: true))
    #expect(read("<x xmlns:HDRGainMap=\"http://x\"/>") == XMP(hasGainMap: true))
    #expect(read("<x GDepth:Format=\"RangeInverse\"/>") == XMP(hasDepthMap: true))
    #expect(read("<x GImage:Mime=\"image/jpeg\"/>") == XMP(hasDepthMap: true))
  }

  @Test func ordinaryPacketsSayNothing() {
    #expect(read("<x dc:title=\"GPS Latitude, MotionPhot\" xmlns:hdrgm='u'/>") == XMP())
    #expect(read("GPSLatitude") == XMP(hasLocation: true))
    for text in ["", "G", "GPSLati"] { #expect(read(text) == XMP()) }
  }

  @Test func onlyTheRangeCounts() {
    let bytes = Array("hdrgm:Version GPSLatitude='1' GDepth:Format".utf8)
    #expect(XMP.parse(bytes, in: 14..<30) == XMP(hasLocation: true))
    #expect(
      XMP.parse(bytes, in: 0..<1_000)
        == XMP(
          hasLocation: true, hasGainMap: true, hasDepthMap: true))
  }

  @Test func packetsAddUp() {
    var sum = XMP(hasLocation: true)
    sum.formUnion(XMP(isMotionPhoto: true))
    #expect(sum == XMP(hasLocation: true, isMotionPhoto: true))
  }
}
