public import ImageContainers

/// What is known of a prepared photo: the stages fill it in, records keep it.
public struct PhotoFacts: Sendable, Equatable, Codable {
  /// The original's name as given; text only, never a path.
  public var fileName: String
  /// The original's size in bytes, above zero.
  public var fileSizeBytes: Int
  /// The original's format.
  public var format: ImageFormat
  /// Pixels across, upright.
  public var pixelWidth: Int
  /// Pixels down, upright.
  public var pixelHeight: Int
  /// What the original says of itself.
  public var source: SourceFacts
  /// How the blob came to be.
  public var normalization: Normalization
  /// In which form blob and preview were made; nil on records of versions that did not note it.
  package var form: PhotoForm?

  /// Facts with these values.
  package init(
    fileName: String, fileSizeBytes: Int, format: ImageFormat, pixelWidth: Int, pixelHeight: Int,
    source: SourceFacts, normalization: Normalization, form: PhotoForm? = nil
  ) {
    self.fileName = fileName
    self.fileSizeBytes = fileSizeBytes
    self.format = format
    self.pixelWidth = pixelWidth
    self.pixelHeight = pixelHeight
    self.source = source
    self.normalization = normalization
    self.form = form
  }

  /// The original's Uniform Type Identifier (decision 2).
  public var uti: String { format.uti }
}

/// Facts about the original that are recorded. The place where it was taken is not among them.
public struct SourceFacts: Sendable, Equatable, Codable {
  /// SHA-256 of the original's bytes, 64 lower-case hexadecimal digits.
  public var sha256: String
  /// EXIF orientation 1 to 8 as stored; 1 for HEIC.
  public var orientation: Int
  /// Frames a browser would play.
  public var frameCount: Int
  /// Whether a pixel can be transparent.
  public var hasAlpha: Bool
  /// Name of the color profile, nil when untagged.
  public var colorProfile: String?
  /// Local capture time as ISO 8601, with the zone when the camera wrote one.
  public var capturedAt: String?
  /// Whether the original named the place where it was taken.
  public var hasLocation: Bool

  /// Facts of an original.
  package init(
    sha256: String, orientation: Int, frameCount: Int, hasAlpha: Bool, colorProfile: String?,
    capturedAt: String?, hasLocation: Bool
  ) {
    self.sha256 = sha256
    self.orientation = orientation
    self.frameCount = frameCount
    self.hasAlpha = hasAlpha
    self.colorProfile = colorProfile
    self.capturedAt = capturedAt
    self.hasLocation = hasLocation
  }
}
