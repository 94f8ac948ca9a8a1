/// The way a picture was normalized, as `inspect` plans it and `attach` records it.
public struct Normalization: Sendable, Equatable, Codable {
  /// The method.
  public var method: Method
  /// The reasons for encoding the picture again. Empty if it was carried over.
  public var reasons: [Reason]
  /// Losses that a person might notice: the kinds of the parts that hold pictures, videos or `content-credentials`, and
  /// `bit-depth`, `gamut`, `hdr`, `color`, `frames`, `cmyk`.
  public var losses: [String]
  /// The repairs that were necessary before the file could be decoded, such as `heif-multi-cdsc`.
  public var repairs: [String]
  /// The removed metadata, with its size in bytes.
  public var removed: [Removed]

  /// The repairs that are made if the end of a file is missing.
  private static let endRepairs: Set<String> = [
    "jpeg-eoi", "png-iend", "png-zlib-checksum", "gif-trailer", "gif-image-end", "webp-size",
    "heif-end",
  ]

  /// Signs that the original may be a truncated file: repairs of its end, and lost frames. Such an original is never
  /// deleted and never replaces a stored picture.
  public var signsOfCut: [String] {
    repairs.filter(Self.endRepairs.contains) + losses.filter { $0 == "frames" }
  }

  /// The number of removed nonzero bytes of unknown meaning, such as a manufacturer's data after the end of the
  /// picture, or a thermal camera's data in application segments.
  public var unknownBytes: Int {
    // If a PNG loses its animation, its frames are counted as `application`, so that kind isn't unknown then.
    let kinds = ["unknown", "trailing"] + (losses.contains("animation") ? [] : ["application"])
    return removed.filter { kinds.contains($0.kind) }.reduce(0) { $0 + $1.bytes }
  }

  /// The methods of normalization.
  public enum Method: String, Sendable, Codable {
    /// All pixels are those of the original. The compressed data is copied without the tables and bytes that no pixel
    /// needs. A JPEG with several scans is rewritten with one scan and the same coefficients.
    case carriedOver = "carried-over"
    /// The picture was decoded and encoded again.
    case reEncoded = "re-encoded"
  }

  /// The reasons why pixels must change.
  public enum Reason: String, Sendable, Codable, CaseIterable {
    /// The picture has to be rotated or mirrored.
    case orientation
    /// Its colors are not sRGB.
    case color
    /// It has more than 8 bits per sample.
    case bitDepth = "bit-depth"
    /// Browsers cannot show its format (HEIC).
    case format
    /// The picture's data cannot be copied. Browsers don't support its coding (arithmetic JPEG), only a decoder can
    /// recover the picture (a damaged or incomplete JPEG), or the data contains bytes that aren't part of the picture.
    case coding
  }

  /// Metadata that was removed.
  public struct Removed: Sendable, Equatable, Codable {
    /// The kind of the part (`exif`, `xmp`, `trailing` …), or `location`.
    public var kind: String
    /// The size in the original in bytes, 0 for `location`.
    public var bytes: Int

    /// Creates an entry for removed metadata.
    public init(kind: String, bytes: Int) {
      self.kind = kind
      self.bytes = bytes
    }
  }

  /// Creates a normalization with this method.
  public init(
    method: Method, reasons: [Reason] = [], losses: [String] = [], repairs: [String] = [],
    removed: [Removed] = []
  ) {
    self.method = method
    self.reasons = reasons
    self.losses = losses
    self.repairs = repairs
    self.removed = removed
  }
}
