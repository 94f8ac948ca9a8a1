public import ImageContainers

/// What a program can decide about photos: limits that protect the machine, and the normalized
/// form. The same input and policy give the same bytes.
public struct PhotoPolicy: Sendable, Equatable, Codable {
  /// Limits on structure, checked before any decoder runs.
  public var limits = ContainerLimits()
  /// Bytes of one file; 512 MiB.
  public var fileBytes = 512 << 20
  /// Pixels along the longer side of a preview.
  public var previewSide = 320
  /// JPEG quality of a re-encoded blob, 1 to 100. At 95 noisy photos stay within 2/255 of what was
  /// decoded, at about the size of the original.
  public var jpegQuality = 95
  /// WebP quality of a re-encoded lossy blob, 1 to 100.
  public var webpQuality = 95
  /// Pixels up to which a HEIC with transparency becomes a lossless WebP: those are cut-outs and
  /// drawings; above, lossless encoding takes seconds.
  public var losslessPixels = 2_000_000
  /// JPEG and WebP quality of a preview, 1 to 100.
  public var previewQuality = 80
  /// Threads that libvips may use for one photo; low in batch work, which is parallel over photos.
  public var threadsPerPhoto = 2

  /// The default policy.
  public init() {}
}
