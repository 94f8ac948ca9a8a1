public import ImageContainers

/// The result of stages 0 to 3, and the plan for the compressed data. An inspection stores nothing.
public struct PhotoInspection: Sendable, Equatable {
  /// The name of the original as text.
  public var fileName: String
  /// The size of the original in bytes.
  public var fileSizeBytes: Int
  /// `true` if the extension of the name belongs to the format.
  public var extensionMatches: Bool
  /// The facts from the container: stored size, frames, parts.
  public var facts: ImageFacts
  /// The name of the color profile. `nil` if the photo is untagged.
  public var colorProfile: String?
  /// The normalization that `attach` would apply.
  public var plan: Normalization
  /// The format that `attach` would store.
  public var blobFormat: ImageFormat

  /// The format of the original.
  public var format: ImageFormat { facts.format }
  /// The upright width in pixels.
  public var pixelWidth: Int { facts.uprightWidth }
  /// The upright height in pixels.
  public var pixelHeight: Int { facts.uprightHeight }
  /// `true` if the original contains the place where it was taken.
  public var hasLocation: Bool { facts.hasLocation }
  /// The local capture time in ISO 8601 format. `nil` if the camera wrote none.
  public var capturedAt: String? { facts.exif?.capturedAt }
}
