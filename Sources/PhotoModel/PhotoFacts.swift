public import ImageContainers

/// The facts about a prepared photo. The stages of the pipeline fill them in, and records store them.
public struct PhotoFacts: Sendable, Equatable, Codable {
  /// The original's name as given. It is text for people, never a path.
  public var fileName: String
  /// The original's size in bytes, greater than zero.
  public var fileSizeBytes: Int
  /// The original's format.
  public var format: ImageFormat
  /// The width in pixels, upright.
  public var pixelWidth: Int
  /// The height in pixels, upright.
  public var pixelHeight: Int
  /// The facts that the original contains.
  public var source: SourceFacts
  /// The way the blob was made.
  public var normalization: Normalization
  /// The form in which blob and preview were made. `nil` in records of versions that didn't record it.
  package var form: PhotoForm?

  /// Creates facts with these values.
  public init(
    fileName: String, fileSizeBytes: Int, format: ImageFormat, pixelWidth: Int, pixelHeight: Int,
    source: SourceFacts, normalization: Normalization
  ) {
    self.fileName = fileName
    self.fileSizeBytes = fileSizeBytes
    self.format = format
    self.pixelWidth = pixelWidth
    self.pixelHeight = pixelHeight
    self.source = source
    self.normalization = normalization
  }

  /// The original's Uniform Type Identifier (decision 2).
  public var uti: String { format.uti }
}

/// The recorded facts about the original. The place where it was taken isn't recorded.
public struct SourceFacts: Sendable, Equatable, Codable {
  /// The SHA-256 of the original's bytes, 64 lower-case hexadecimal digits.
  public var sha256: String
  /// The EXIF orientation as stored, 1 to 8. It is 1 for HEIC.
  public var orientation: Int
  /// The number of frames that a browser would play.
  public var frameCount: Int
  /// `true` if pixels can be transparent.
  public var hasAlpha: Bool
  /// The name of the color profile, or `nil` if the picture is untagged.
  public var colorProfile: String?
  /// The local capture time as ISO 8601, with the time zone if the camera recorded one.
  public var capturedAt: String?
  /// `true` if the original contained the place where it was taken.
  public var hasLocation: Bool

  /// Creates the facts about an original.
  public init(
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
