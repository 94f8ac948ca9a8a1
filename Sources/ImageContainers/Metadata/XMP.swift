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
      // A name stands before its value, so never in the last bytes.
      for index in packet.indices.dropLast(8) where isInitial(packet[index]) {
        let word = UInt64(
          littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        guard let match = keys.firstIndex(of: word & keyMask) else { continue }
        let (name, fact) = names[match]
        let rest = packet[index...]
        if rest.starts(with: name.utf8) { xmp.note(fact, rest.dropFirst(name.utf8.count)) }
      }
    }
    return xmp
  }

  /// Adds what another packet of the file says.
  mutating func formUnion(_ other: XMP) {
    hasLocation = hasLocation || other.hasLocation
    isMotionPhoto = isMotionPhoto || other.isMotionPhoto
    hasGainMap = hasGainMap || other.hasGainMap
    hasDepthMap = hasDepthMap || other.hasDepthMap
  }

  private enum Fact { case location, motion, gainMap, depth }

  private static let names: [(name: String, fact: Fact)] = [
    ("GPSLatitude", .location), ("GPSLongitude", .location),
    // As DJI's drones spell it.
    ("GpsLatitude", .location),
    ("MotionPhoto", .motion), ("MicroVideo", .motion),
    ("hdrgm:", .gainMap), ("HDRGainMap", .gainMap),
    ("GDepth:", .depth), ("GImage:", .depth), ("depthData", .depth),
  ]

  /// The first six letters of each name, all different, as a little-endian number: hostile packets
  /// are large and full of beginnings of names.
  private static let keys: [UInt64] = names.map { name, _ in
    name.utf8.prefix(6).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
  private static let keyMask: UInt64 = 0xFFFF_FFFF_FFFF

  /// Returns whether one of the names starts with this letter.
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
