import ImageContainers

/// What stages 1 to 4 make of a photo's bytes: facts, and pictures that are not verified yet.
struct DecodedPhoto {
  var facts: Facts
  var blob: [UInt8]
  /// Empty where the proof of the blob is to give the small picture.
  var preview: [UInt8]

  struct Facts: Codable {
    var format: ImageFormat
    /// Upright.
    var pixelWidth: Int
    var pixelHeight: Int
    var source: SourceFacts
    /// Where the original says it was taken.
    var position: EXIF.Position?
    var normalization: Normalization
    var blobFormat: ImageFormat
    var blobFrames: Int
    var previewFormat: ImageFormat
    var perceptualHash: UInt64
    /// `LibraryVersions.used(for:)` in the process that made it.
    var libraries: [String: String]
  }
}

/// A preview that is not verified yet.
struct DecodedPreview {
  var bytes: [UInt8]
  var format: ImageFormat
  /// `PerceptualHash` of its pixels.
  var perceptualHash: UInt64

  /// None: the proof of the blob is to give the small picture.
  static let left = DecodedPreview(bytes: [], format: .jpeg, perceptualHash: 0)
}
