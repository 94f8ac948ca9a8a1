/// The two application segments that decide how a decoder interprets the components of a JPEG, in the only form that a
/// clean file has.
///
/// libjpeg (`default_decompress_parms`), and with it Pillow, libvips and the browsers, looks for a JFIF segment first,
/// then for the transform byte of an Adobe segment, and then at the components' IDs. libvips and others also take an
/// Adobe segment as the sign that CMYK is stored inverted. So each segment is kept if the original has it, and
/// everything in it that has no influence is reset.
struct JPEGColorSegments: Equatable {
  /// `true` if a JFIF segment precedes the first scan.
  private(set) var hasJFIF = false
  /// The transform byte of the last Adobe segment before the first scan.
  private(set) var adobeTransform: UInt8?
  /// The indices in the segment list of those of the two that are already in the form that is kept.
  private(set) var canonicalIndices: Set<Int> = []

  init(_ bytes: [UInt8], _ segments: JPEGSegments) {
    var adobe: Int?
    for (index, segment) in segments.list.enumerated() {
      if segment.marker == JPEGMarker.sos { break }
      if Self.isJFIF(bytes, segment) {
        if canonicalIndices.isEmpty, bytes[segment.range].elementsEqual(Self.jfif) {
          canonicalIndices.insert(index)
        }
        hasJFIF = true
      } else if Self.isAdobe(bytes, segment) {
        adobeTransform = bytes[segment.payload.lowerBound + 11]
        adobe = index
      }
    }
    if let adobe, bytes[segments.list[adobe].range].elementsEqual(adobeBytes) {
      canonicalIndices.insert(adobe)
    }
  }

  /// The color segments of a clean file, which follow SOI.
  var cleanBytes: [UInt8] { (hasJFIF ? Self.jfif : []) + adobeBytes }

  /// Returns the color segment of a finished file, which is the one that libjpeg uses. Gray pictures need none.
  func finishedBytes(components: Int) -> [UInt8] {
    guard components < 4 else { return cleanBytes }
    if hasJFIF { return Self.jfif }
    guard components == 3, let adobeTransform else { return [] }
    return Self.adobe(transform: min(adobeTransform, 1))
  }

  /// Returns the color model that follows from the number of components.
  func model(of frame: JPEGFrame) -> ColorModel {
    switch frame.components.count {
    case 1: .gray
    case 3: .rgb
    default: .cmyk
    }
  }

  /// Returns `true` for a JFIF segment that has the size libjpeg requires (`examine_app0`).
  static func isJFIF(_ bytes: [UInt8], _ segment: JPEGSegment) -> Bool {
    segment.marker == JPEGMarker.app0 && segment.payload.count >= 14
      && bytes[segment.payload].starts(with: "JFIF\0".utf8)
  }

  /// Returns `true` for an Adobe segment that has the size libjpeg requires (`examine_app14`).
  static func isAdobe(_ bytes: [UInt8], _ segment: JPEGSegment) -> Bool {
    segment.marker == JPEGMarker.app14 && segment.payload.count >= 12
      && bytes[segment.payload].starts(with: "Adobe".utf8)
  }

  /// A JFIF segment of version 1.1 with square pixels and no thumbnail (JFIF 1.02, page 5).
  private static let jfif: [UInt8] =
    [0xFF, JPEGMarker.app0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]

  private var adobeBytes: [UInt8] { adobeTransform.map(Self.adobe) ?? [] }

  /// Returns an Adobe segment of version 100 without flags (Adobe Technical Note 5116, section 18).
  private static func adobe(transform: UInt8) -> [UInt8] {
    [0xFF, JPEGMarker.app14, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0] + [transform]
  }
}
