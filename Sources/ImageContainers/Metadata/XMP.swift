/// What an XMP packet gives away, found by its attribute and element names.
///
/// Names are looked for with their usual prefix, or without one where the name alone is
/// unmistakable; a parser of XML is not worth its risk for four questions.
struct XMP: Equatable {
  /// Names a place: `exif:GPSLatitude`, `exif:GPSLongitude`.
  var hasLocation = false
  /// Google or Samsung motion photo: a film follows the picture.
  var isMotionPhoto = false
  /// An HDR gain map is part of the file (`hdrgm:`, `HDRGainMap`).
  var hasGainMap = false
  /// Depth data is part of the file (`GDepth:`, `GImage:`).
  var hasDepthMap = false

  /// Scans the packet at `range` of a file, in one pass.
  static func read(_ bytes: [UInt8], in range: Range<Int>) -> XMP {
    var xmp = XMP()
    bytes.withUnsafeBytes { buffer in
      let packet = buffer[range.clamped(to: 0..<buffer.count)]
      for index in packet.indices where isInitial(packet[index]) {
        for (name, fact) in names where packet[index...].starts(with: name) {
          xmp.note(fact, packet[(index + name.count)...])
        }
      }
    }
    return xmp
  }

  /// What two packets of one file say together.
  mutating func formUnion(_ other: XMP) {
    hasLocation = hasLocation || other.hasLocation
    isMotionPhoto = isMotionPhoto || other.isMotionPhoto
    hasGainMap = hasGainMap || other.hasGainMap
    hasDepthMap = hasDepthMap || other.hasDepthMap
  }

  private enum Fact { case location, motion, gainMap, depth }

  private static let names: [(name: [UInt8], fact: Fact)] = [
    (Array("GPSLatitude".utf8), .location), (Array("GPSLongitude".utf8), .location),
    // As DJI's drones spell it.
    (Array("GpsLatitude".utf8), .location),
    (Array("MotionPhoto".utf8), .motion), (Array("MicroVideo".utf8), .motion),
    (Array("hdrgm:".utf8), .gainMap), (Array("HDRGainMap".utf8), .gainMap),
    (Array("GDepth:".utf8), .depth), (Array("GImage:".utf8), .depth),
    (Array("depthData".utf8), .depth),
  ]

  /// Whether one of the names starts with this letter.
  private static func isInitial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "G"), UInt8(ascii: "M"), UInt8(ascii: "h"), UInt8(ascii: "H"),
      UInt8(ascii: "d"):
      true
    default: false
    }
  }

  private mutating func note(_ fact: Fact, _ rest: Slice<UnsafeRawBufferPointer>) {
    switch fact {
    case .location: hasLocation = true
    case .gainMap: hasGainMap = true
    case .depth: hasDepthMap = true
    case .motion:
      // `="1"` or `>1<`: the same name with 0 says that there is none, and longer names (version,
      // time stamp) say nothing.
      let value = rest.prefix(8).first { !" \t\r\n=\"'>".utf8.contains($0) }
      if value == UInt8(ascii: "1") { isMotionPhoto = true }
    }
  }
}
