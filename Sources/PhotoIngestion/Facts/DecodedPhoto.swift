import ImageContainers

/// The result of stages 1 to 4 of `PhotoPipeline`: facts, and pictures that are not verified yet. A decoder returns it.
struct DecodedPhoto {
  var facts: Facts
  var blob: [UInt8]
  /// Empty if the preview is made later, from the small picture that verifying the blob produces.
  var preview: [UInt8]

  struct Facts: Codable {
    var format: ImageFormat
    /// The upright size in pixels.
    var pixelWidth: Int
    var pixelHeight: Int
    var source: SourceFacts
    /// The position at which the original was taken, according to the original.
    var position: EXIF.Position?
    var normalization: Normalization
    var blobFormat: ImageFormat
    var blobFrames: Int
    var previewFormat: ImageFormat
    var perceptualHash: UInt64
    /// `LibraryVersions.used(for:)` of the process that made the pictures.
    var libraries: [String: String]
  }
}

/// A preview that is not verified yet.
struct DecodedPreview {
  var bytes: [UInt8]
  var format: ImageFormat
  /// The `PerceptualHash` of its pixels.
  var perceptualHash: UInt64

  /// The empty preview of a photo whose preview is made later, from the small picture that verifying the blob produces.
  static let left = DecodedPreview(bytes: [], format: .jpeg, perceptualHash: 0)
}
