/// Limits that are checked before any decoder sees a byte, with 64-bit arithmetic that cannot
/// overflow.
///
/// The defaults are generous: a 200-megapixel phone photo passes (decision 9), a decompression
/// bomb does not.
public struct ContainerLimits: Sendable, Equatable, Codable {
  /// Pixels of one frame.
  public var pixels = 220_000_000
  /// Pixels along the longer side, all formats but HEIC.
  public var side = 32_768
  /// Pixels along the longer side of a HEIC (libheif's own bound in libvips 8.14).
  public var heicSide = 16_384
  /// Pixels of all frames of an animation together, each of them as large as the canvas and at least 64
  /// along each side, because it costs decoders time however small it is. What exceeds this becomes a
  /// still picture of its first frame (decision 49).
  public var framePixels = 250_000_000
  /// Scans of a JPEG; real photos have at most 15.
  public var scans = 100
  /// Bytes of all APPn and COM segments of a JPEG together.
  public var applicationBytes = 64 << 20
  /// Chunks, blocks or segments of one file.
  public var chunks = 100_000
  /// Bytes of one ancillary PNG chunk.
  public var chunkBytes = 16 << 20
  /// Bytes of all ancillary PNG chunks together.
  public var ancillaryBytes = 32 << 20
  /// ISO boxes of one HEIC.
  public var boxes = 10_000
  /// How deep ISO boxes may nest.
  public var boxDepth = 16
  /// Items of one HEIC: all tiles of a picture and of its gain map.
  public var items = 2_048
  /// Tiles of one HEIC grid; iPhones write 30 to 54, a 200-megapixel phone 768.
  public var tiles = 1_024

  /// The default limits.
  public init() {}

  /// No limit but the formats' own: for parsing our own products, whose input was held to limits.
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

  /// Checks one frame's size in pixels against `side` and `pixels`; zero is malformed.
  func check(width: Int, height: Int, offset: Int, side: Int? = nil) throws(ContainerError) {
    guard width > 0, height > 0 else { throw .malformed("zero-size", offset: offset) }
    let allowed = side ?? self.side
    try check(max(width, height), .side, upTo: allowed)
    let (area, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, area <= pixels else {
      throw .overLimit(.pixels, actual: overflow ? .max : area, allowed: pixels)
    }
  }

  /// Checks that there is no more of something than allowed.
  func check(
    _ actual: Int, _ limit: ContainerLimit, upTo allowed: Int
  ) throws(ContainerError) {
    if actual > allowed { throw .overLimit(limit, actual: actual, allowed: allowed) }
  }

  /// Returns whether an animation may have this many frames.
  ///
  /// - Parameters:
  ///   - width: pixels of the canvas, or of a larger frame; so is `height`.
  package func allow(frames count: Int, width: Int, height: Int) -> Bool {
    guard count > 1 else { return true }
    let (area, overflow) = max(64, width).multipliedReportingOverflow(by: max(64, height))
    let (total, overflow2) = area.multipliedReportingOverflow(by: count)
    return !overflow && !overflow2 && total <= framePixels
  }
}
