/// The limits that are checked before a decoder sees the file. The checks use 64-bit arithmetic that cannot overflow.
///
/// The defaults are generous: a phone's 200-megapixel photo is accepted (decision 9), a decompression bomb is not.
public struct ContainerLimits: Sendable, Equatable, Codable {
  /// The maximum pixels of one frame.
  public var pixels = 220_000_000
  /// The maximum pixels along the longer side, for all formats except HEIC.
  public var side = 32_768
  /// The maximum pixels along the longer side of a HEIC (libheif's own limit in libvips 8.14).
  public var heicSide = 16_384
  /// The maximum pixels of all frames of an animation. Each frame counts as large as the canvas and at least 64 pixels
  /// along each side, because even tiny frames take time to decode. A larger animation becomes a still picture of its
  /// first frame (decision 49).
  public var framePixels = 250_000_000
  /// The maximum scans of a JPEG. Real photos have at most 15.
  public var scans = 100
  /// The maximum bytes of all APPn and COM segments of a JPEG.
  public var applicationBytes = 64 << 20
  /// The maximum chunks, blocks or segments of a file.
  public var chunks = 100_000
  /// The maximum bytes of one ancillary PNG chunk.
  public var chunkBytes = 16 << 20
  /// The maximum bytes of all ancillary PNG chunks.
  public var ancillaryBytes = 32 << 20
  /// The maximum ISO boxes of a HEIC.
  public var boxes = 10_000
  /// The maximum nesting depth of ISO boxes.
  public var boxDepth = 16
  /// The maximum items of a HEIC. All tiles of a picture and of its gain map are items.
  public var items = 2_048
  /// The maximum tiles of a HEIC grid. iPhones write 30 to 54, a 200-megapixel phone 768.
  public var tiles = 1_024

  /// Creates the default limits.
  public init() {}

  /// Limits for parsing files that PetSpot itself encoded. Their sources were already checked, so only the formats' own
  /// limits remain.
  package static let unbounded: ContainerLimits = {
    var limits = ContainerLimits()
    for key in [
      \ContainerLimits.pixels, \.side, \.heicSide, \.framePixels, \.scans,
      \.applicationBytes, \.chunks, \.chunkBytes, \.ancillaryBytes,
    ] {
      limits[keyPath: key] = .max
    }
    return limits
  }()

  /// Checks a frame's size in pixels against `side` and `pixels`. A size of zero is malformed.
  func check(width: Int, height: Int, offset: Int, side: Int? = nil) throws(ContainerError) {
    guard width > 0, height > 0 else { throw .malformed("zero-size", offset: offset) }
    let allowed = side ?? self.side
    try check(max(width, height), .side, upTo: allowed)
    let (area, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, area <= pixels else {
      throw .overLimit(.pixels, actual: overflow ? .max : area, allowed: pixels)
    }
  }

  /// Throws `overLimit` if `actual` exceeds the allowed number.
  func check(
    _ actual: Int, _ limit: ContainerLimit, upTo allowed: Int
  ) throws(ContainerError) {
    if actual > allowed { throw .overLimit(limit, actual: actual, allowed: allowed) }
  }

  /// Returns `true` if an animation may have this many frames.
  ///
  /// - Parameters:
  ///   - count: the number of frames.
  ///   - width: the width of the canvas, or of a larger frame, in pixels.
  ///   - height: the height of the canvas, or of a larger frame, in pixels.
  package func allow(frames count: Int, width: Int, height: Int) -> Bool {
    guard count > 1 else { return true }
    let (area, overflow) = max(64, width).multipliedReportingOverflow(by: max(64, height))
    let (total, overflow2) = area.multipliedReportingOverflow(by: count)
    return !overflow && !overflow2 && total <= framePixels
  }
}
