/// The two application segments that decide what the components of a JPEG mean, in the one form a
/// clean file has them.
///
/// libjpeg (`default_decompress_parms`), and with it Pillow, libvips and the browsers, decides by:
/// a JFIF segment, else the transform byte of an Adobe segment, else the components' ids. libvips
/// and others also take an Adobe segment as the sign that CMYK is stored inverted. So each is kept
/// when the original has one, with everything in it that does not decide reset.
struct JPEGColorSegments: Equatable {
  /// A JFIF segment stands before the first scan.
  private(set) var hasJFIF = false
  /// The transform byte of the last Adobe segment before the first scan.
  private(set) var adobeTransform: UInt8?
  /// Where in the segment list the two stand when they are already in the form that is kept.
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

  /// What a clean file has of them, right after SOI.
  var cleanBytes: [UInt8] { (hasJFIF ? Self.jfif : []) + adobeBytes }

  /// Returns what a finished file has of them: the one that decides, as libjpeg reads it. Gray needs none.
  func finishedBytes(components: Int) -> [UInt8] {
    guard components < 4 else { return cleanBytes }
    if hasJFIF { return Self.jfif }
    guard components == 3, let adobeTransform else { return [] }
    return Self.adobe(transform: min(adobeTransform, 1))
  }

  /// Returns how the samples make a color.
  func model(of frame: JPEGFrame) -> ColorModel {
    switch frame.components.count {
    case 1: .gray
    case 3: .rgb
    default: .cmyk
    }
  }

  /// Returns the size libjpeg asks for (`examine_app0`).
  static func isJFIF(_ bytes: [UInt8], _ segment: JPEGSegment) -> Bool {
    segment.marker == JPEGMarker.app0 && segment.payload.count >= 14
      && bytes[segment.payload].starts(with: "JFIF\0".utf8)
  }

  /// Returns the size libjpeg asks for (`examine_app14`).
  static func isAdobe(_ bytes: [UInt8], _ segment: JPEGSegment) -> Bool {
    segment.marker == JPEGMarker.app14 && segment.payload.count >= 12
      && bytes[segment.payload].starts(with: "Adobe".utf8)
  }

  /// Version 1.1, square pixels, no thumbnail (JFIF 1.02, page 5).
  private static let jfif: [UInt8] =
    [0xFF, JPEGMarker.app0, 0, 16] + Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]

  private var adobeBytes: [UInt8] { adobeTransform.map(Self.adobe) ?? [] }

  /// Returns version 100, no flags (Adobe Technical Note 5116, section 18).
  private static func adobe(transform: UInt8) -> [UInt8] {
    [0xFF, JPEGMarker.app14, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0] + [transform]
  }
}
