/// How a picture was normalized: planned by `inspect`, recorded by `attach`.
public struct Normalization: Sendable, Equatable, Codable {
  /// Whether the compressed picture was copied or made again.
  public var method: Method
  /// Why it had to be encoded again; empty when carried over.
  public var reasons: [Reason]
  /// Losses that a person might notice: kinds of parts that hold pictures, films or `content-credentials`,
  /// and `bit-depth`, `gamut`, `hdr`, `color`, `frames`, `cmyk`.
  public var losses: [String]
  /// What had to be repaired before the file could be decoded, such as `heif-multi-cdsc`.
  public var repairs: [String]
  /// What was taken out besides pictures, with its size in bytes.
  public var removed: [Removed]

  /// Repairs of files whose end is missing.
  private static let endRepairs: Set<String> = [
    "jpeg-eoi", "png-iend", "png-zlib-checksum", "gif-trailer", "gif-image-end", "webp-size",
    "heif-end",
  ]

  /// What shows that the original may be a part of a longer one: repairs of its end, and lost frames.
  /// Such an original is never deleted, and replaces no stored picture.
  public var signsOfCut: [String] {
    repairs.filter(Self.endRepairs.contains) + losses.filter { $0 == "frames" }
  }

  /// Bytes other than zeros that were taken out although it is not known what they are, such as a
  /// maker's own data behind the picture's end, or a thermal camera's in application segments.
  public var unknownBytes: Int {
    // A PNG's animation that is lost lies in chunks of that kind.
    let kinds = ["unknown", "trailing"] + (losses.contains("animation") ? [] : ["application"])
    return removed.filter { kinds.contains($0.kind) }.reduce(0) { $0 + $1.bytes }
  }

  /// The two ways to a normalized blob.
  public enum Method: String, Sendable, Codable {
    /// Every pixel is that of the original. Its compressed data is copied, without tables and bytes
    /// that no pixel needs; a JPEG of several scans is written as one, with the same coefficients.
    case carriedOver = "carried-over"
    /// Decoded and encoded again.
    case reEncoded = "re-encoded"
  }

  /// Why pixels must change.
  public enum Reason: String, Sendable, Codable, CaseIterable {
    /// The picture has to be turned or mirrored.
    case orientation
    /// Its colors are not sRGB.
    case color
    /// It has more than 8 bits a sample.
    case bitDepth = "bit-depth"
    /// Browsers do not show its format (HEIC).
    case format
    /// Browsers do not show its coding (arithmetic JPEG), only a decoder can read what its data shows
    /// (a damaged or incomplete JPEG), or bytes that are no picture lie within its data.
    case coding
  }

  /// A piece of metadata that was taken out.
  public struct Removed: Sendable, Equatable, Codable {
    /// A part kind (`exif`, `xmp`, `trailing` …) or `location`.
    public var kind: String
    /// Bytes in the original, 0 for `location`.
    public var bytes: Int

    /// A piece of this kind and size in bytes.
    package init(kind: String, bytes: Int) {
      self.kind = kind
      self.bytes = bytes
    }
  }

  /// A normalization by this method.
  package init(
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
