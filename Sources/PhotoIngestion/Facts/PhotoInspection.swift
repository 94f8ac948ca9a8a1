public import ImageContainers

/// What stages 0 to 3 find in a file, and whether its compressed data can stay; nothing is stored.
public struct PhotoInspection: Sendable, Equatable {
  /// The original's name as text.
  public var fileName: String
  /// The original's size in bytes.
  public var fileSizeBytes: Int
  /// Whether the name's extension is one of the format's.
  public var extensionMatches: Bool
  /// What the container says: stored size, frames, parts.
  public var facts: ImageFacts
  /// Name of the color profile, nil when untagged.
  public var colorProfile: String?
  /// How `attach` would normalize it.
  public var plan: Normalization
  /// The format `attach` would store.
  public var blobFormat: ImageFormat

  /// The original's format.
  public var format: ImageFormat { facts.format }
  /// Pixels across, upright.
  public var pixelWidth: Int { facts.uprightWidth }
  /// Pixels down, upright.
  public var pixelHeight: Int { facts.uprightHeight }
  /// Whether the original names the place where it was taken.
  public var hasLocation: Bool { facts.hasLocation }
  /// Local capture time as ISO 8601, nil when the camera wrote none.
  public var capturedAt: String? { facts.exif?.capturedAt }
}
