/// The facts from an XMP packet, found by attribute and element names.
///
/// The search uses the names with their usual prefix, or without it if the name is unique. A full XML parser would be a
/// risk that four facts don't justify.
struct XMP: Equatable {
  /// `true` if the packet contains a place: `exif:GPSLatitude`, `exif:GPSLongitude`.
  var hasLocation = false
  /// `true` for a motion photo by Google or Samsung, which has a video after the picture.
  var isMotionPhoto = false
  /// `true` if the file contains an HDR gain map (`hdrgm:`, `HDRGainMap`).
  var hasGainMap = false
  /// `true` if the file contains depth data (`GDepth:`, `GImage:`).
  var hasDepthMap = false

  /// Scans the packet at `range` of a file in one pass.
  static func parse(_ bytes: [UInt8], in range: Range<Int>) -> XMP {
    var xmp = XMP()
    bytes.withUnsafeBytes { buffer in
      let packet = buffer[range.clamped(to: 0..<buffer.count)]
      // A name precedes its value, so it can't be in the last bytes.
      for index in packet.indices.dropLast(8) where isInitial(packet[index]) {
        let word = UInt64(
          littleEndian: buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        guard let match = keys.firstIndex(of: word & keyMask) else { continue }
        let (name, fact) = names[match]
        let rest = packet[index...]
        if rest.starts(with: name.utf8) { xmp.recordFact(fact, rest.dropFirst(name.utf8.count)) }
      }
    }
    return xmp
  }

  /// Adds the facts of another packet of the file.
  mutating func formUnion(_ other: XMP) {
    hasLocation = hasLocation || other.hasLocation
    isMotionPhoto = isMotionPhoto || other.isMotionPhoto
    hasGainMap = hasGainMap || other.hasGainMap
    hasDepthMap = hasDepthMap || other.hasDepthMap
  }

  private enum Fact { case location, motion, gainMap, depth }

  private static let names: [(name: String, fact: Fact)] = [
    ("GPSLatitude", .location), ("GPSLongitude", .location),
    // The spelling of DJI's drones.
    ("GpsLatitude", .location),
    ("MotionPhoto", .motion), ("MicroVideo", .motion),
    ("hdrgm:", .gainMap), ("HDRGainMap", .gainMap),
    ("GDepth:", .depth), ("GImage:", .depth), ("depthData", .depth),
  ]

  /// The first six letters of each name as a little-endian number. They are all different, which makes the search fast
  /// even in large hostile packets full of prefixes of names.
  private static let keys: [UInt64] = names.map { name, _ in
    name.utf8.prefix(6).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
  private static let keyMask: UInt64 = 0xFFFF_FFFF_FFFF

  /// Returns `true` if one of the names starts with this letter.
  private static func isInitial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "G"), UInt8(ascii: "M"), UInt8(ascii: "h"), UInt8(ascii: "H"),
      UInt8(ascii: "d"):
      true
    default: false
    }
  }

  private mutating func recordFact(_ fact: Fact, _ rest: Slice<UnsafeRawBufferPointer>) {
    switch fact {
    case .location: hasLocation = true
    case .gainMap: hasGainMap = true
    case .depth: hasDepthMap = true
    case .motion:
      // `="1"` or `>1<`. The value 0 means that there is no video. Longer names (version, time stamp) don't count.
      let value = rest.prefix(8).first { !" \t\r\n=\"'>".utf8.contains($0) }
      if value == UInt8(ascii: "1") { isMotionPhoto = true }
    }
  }
}
