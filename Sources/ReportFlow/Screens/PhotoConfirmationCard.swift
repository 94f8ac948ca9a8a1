package import PhotoModel

/// The card that shows a confirmed photo (seed 028).
public struct PhotoConfirmationCard: Sendable, Equatable {
  /// The name of the original file.
  public let fileName: String
  /// The size of the original file, such as `1.4 MB`.
  public let sizeText: String
  /// The dimensions after rotation to upright, such as `3024 × 4032 pixels`.
  public let dimensionsText: String
  /// The path of the preview, relative to the cache folder.
  public let previewPath: String

  package init(_ photo: PhotoAttachmentMetadata, in words: Words) {
    fileName = photo.fileName
    sizeText = words.fileSize(photo.fileSizeBytes)
    dimensionsText = words(
      "photo.dimensions",
      ["width": String(photo.pixelWidth), "height": String(photo.pixelHeight)])
    previewPath = photo.preview.path
  }
}
