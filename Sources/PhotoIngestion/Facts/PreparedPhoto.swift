public import ImageContainers

/// What stages 0 to 5 make of a file: facts of the source, the proved blob and its preview, all in
/// memory and not yet stored.
public struct PreparedPhoto: Sendable, Equatable {
  /// The original's name as given; text only, never a path.
  public var fileName: String
  /// The original's size in bytes.
  public var fileSizeBytes: Int
  /// The original's format.
  public var format: ImageFormat
  /// Pixels across, upright.
  public var pixelWidth: Int
  /// Pixels down, upright.
  public var pixelHeight: Int
  /// Facts of the original.
  public var source: SourceFacts
  /// The normalized picture, proved.
  public var blob: EncodedPicture
  /// The preview, upright, at most `PhotoPolicy.previewSide` pixels along its longer side.
  public var preview: EncodedPicture
  /// How the blob came to be.
  public var normalization: Normalization
  /// What the picture looks like in 64 bits (`PerceptualHash`).
  public var perceptualHash: UInt64
  /// In which form; nil when that is not known.
  public var form: PhotoForm?

  /// A prepared photo.
  public init(
    fileName: String, fileSizeBytes: Int, format: ImageFormat, pixelWidth: Int, pixelHeight: Int,
    source: SourceFacts, blob: EncodedPicture, preview: EncodedPicture,
    normalization: Normalization,
    perceptualHash: UInt64 = 0, form: PhotoForm? = nil
  ) {
    self.fileName = fileName
    self.fileSizeBytes = fileSizeBytes
    self.format = format
    self.pixelWidth = pixelWidth
    self.pixelHeight = pixelHeight
    self.source = source
    self.blob = blob
    self.preview = preview
    self.normalization = normalization
    self.perceptualHash = perceptualHash
    self.form = form
  }
}

/// An encoded picture and what was proved of it by walking its bytes.
public struct EncodedPicture: Sendable, Equatable {
  /// The whole file.
  public var bytes: [UInt8]
  /// JPEG, PNG, GIF or WebP.
  public var format: ImageFormat
  /// Pixels across.
  public var pixelWidth: Int
  /// Pixels down.
  public var pixelHeight: Int
  /// Frames a browser plays, 1 for a still picture.
  public var frameCount: Int
  /// SHA-256 of `bytes`, 64 lower-case hexadecimal digits.
  public var sha256: String

  /// An encoded picture.
  public init(
    bytes: [UInt8], format: ImageFormat, pixelWidth: Int, pixelHeight: Int, frameCount: Int,
    sha256: String
  ) {
    self.bytes = bytes
    self.format = format
    self.pixelWidth = pixelWidth
    self.pixelHeight = pixelHeight
    self.frameCount = frameCount
    self.sha256 = sha256
  }
}

/// Facts of the original that the record keeps. The place where it was taken is not among them.
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
