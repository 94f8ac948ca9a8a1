public import ImageContainers

/// The settings that a program can choose for photos: limits that protect the machine, and the normalized form. Equal
/// input and policy produce equal bytes.
public struct PhotoPolicy: Sendable, Equatable, Codable {
  /// The limits on structure, checked before any decoder runs.
  public var limits = ContainerLimits()
  /// The maximum size of a file in bytes. 512 MiB by default.
  public var fileBytes = 512 << 20
  /// The number of pixels along the longer side of a preview.
  public var previewSide = 320
  /// The JPEG quality of a re-encoded blob, 1 to 100. At 95, noisy photos stay within 2/255 of the decoded pixels, at
  /// about the size of the original.
  public var jpegQuality = 95
  /// The WebP quality of a re-encoded lossy blob, 1 to 100.
  public var webpQuality = 95
  /// The maximum number of pixels for a HEIC with transparency to become a lossless WebP. Up to this size, such
  /// pictures are cut-outs and drawings. Above it, lossless encoding takes seconds.
  public var losslessPixels = 2_000_000
  /// The JPEG and WebP quality of a preview, 1 to 100.
  public var previewQuality = 80
  /// The number of threads that libvips may use for one photo. Low for batch work, which processes photos in parallel.
  public var threadsPerPhoto = 2

  /// Creates the default policy.
  public init() {}
}
