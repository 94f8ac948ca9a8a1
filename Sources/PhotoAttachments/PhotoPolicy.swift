public import ImageContainers

/// What a host may decide about photos: limits that protect the machine, and the normalized form.
/// The same input and policy give the same bytes.
public struct PhotoPolicy: Sendable, Equatable {
  /// Limits on structure, checked before any decoder runs.
  public var limits = ContainerLimits()
  /// Bytes of one file; 512 MiB.
  public var fileBytes = 512 << 20
  /// Pixels along the longer side of a preview.
  public var previewSide = 320
  /// JPEG quality of a re-encoded blob, 1 to 100.
  public var jpegQuality = 90
  /// WebP quality of a re-encoded lossy blob, 1 to 100.
  public var webpQuality = 90
  /// JPEG and WebP quality of a preview, 1 to 100.
  public var previewQuality = 80
  /// Threads that libvips may use for one photo; low in batch work, which is parallel over photos.
  public var threadsPerPhoto = 2

  /// The default policy.
  public init() {}
}
