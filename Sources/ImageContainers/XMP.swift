/// What an XMP packet gives away, found by its attribute and element names.
struct XMP: Equatable {
  /// Names a place: `exif:GPSLatitude`, `exif:GPSLongitude`.
  var hasLocation = false
  /// Google or Samsung motion photo: a film follows the picture.
  var isMotionPhoto = false
  /// An HDR gain map is part of the file (`hdrgm:`, `HDRGainMap`).
  var hasGainMap = false
  /// Depth data is part of the file (`GDepth:`, `GImage:`).
  var hasDepthMap = false

  /// Scans the packet at `range` of a file.
  static func read(_ bytes: [UInt8], in range: Range<Int>) -> XMP {
    XMP()
  }
}
