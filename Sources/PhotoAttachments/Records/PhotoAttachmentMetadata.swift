public import Foundation
public import ImageContainers
public import PhotoIngestion

/// What is known of an attached photo without touching its pixels (seed 028, "PhotoAttachmentMetadata").
///
/// The record on disk holds no absolute path (decision 10); `cachedURL` is derived from the cache
/// folder when the record is read.
public struct PhotoAttachmentMetadata: Sendable, Equatable, Identifiable {
  /// Stable identifier of the photo.
  public var id: UUID
  /// The original's name, as text.
  public var fileName: String
  /// The original's size in bytes, above zero.
  public var fileSizeBytes: Int
  /// The original's Uniform Type Identifier (decision 2).
  public var uti: String
  /// Pixels across, upright.
  public var pixelWidth: Int
  /// Pixels down, upright.
  public var pixelHeight: Int
  /// The library photo it was picked from, nil for a file (decision 11).
  public var assetIdentifier: String?
  /// Where the normalized blob lies.
  public var cachedURL: URL
  /// When it was stored; drives expiry (decision 12).
  public var savedAt: Date
  /// Facts of the original.
  public var source: SourceFacts
  /// Facts of the normalized blob.
  public var blob: StoredPicture
  /// Facts of the preview.
  public var preview: StoredPicture
  /// How the blob came to be.
  public var normalization: Normalization
  /// In which form it was made; nil on records of versions that did not note it.
  public var form: PhotoForm?

  /// Metadata with these values.
  public init(
    id: UUID, fileName: String, fileSizeBytes: Int, uti: String, pixelWidth: Int, pixelHeight: Int,
    assetIdentifier: String?, cachedURL: URL, savedAt: Date, source: SourceFacts,
    blob: StoredPicture, preview: StoredPicture, normalization: Normalization,
    form: PhotoForm? = nil
  ) {
    self.id = id
    self.fileName = fileName
    self.fileSizeBytes = fileSizeBytes
    self.uti = uti
    self.pixelWidth = pixelWidth
    self.pixelHeight = pixelHeight
    self.assetIdentifier = assetIdentifier
    self.cachedURL = cachedURL
    self.savedAt = savedAt
    self.source = source
    self.blob = blob
    self.preview = preview
    self.normalization = normalization
    self.form = form
  }
}

/// Facts of a picture in the store.
public struct StoredPicture: Sendable, Equatable, Codable {
  /// Path below the cache folder, such as `blobs/ab/cdef….jpg`.
  public var path: String
  /// Its format.
  public var format: ImageFormat
  /// Its size in bytes.
  public var sizeBytes: Int
  /// SHA-256 of its bytes, 64 lower-case hexadecimal digits.
  public var sha256: String
  /// Pixels across.
  public var pixelWidth: Int
  /// Pixels down.
  public var pixelHeight: Int
  /// Frames a browser plays.
  public var frameCount: Int

  /// Facts of a stored picture.
  public init(
    path: String, format: ImageFormat, sizeBytes: Int, sha256: String, pixelWidth: Int,
    pixelHeight: Int, frameCount: Int
  ) {
    self.path = path
    self.format = format
    self.sizeBytes = sizeBytes
    self.sha256 = sha256
    self.pixelWidth = pixelWidth
    self.pixelHeight = pixelHeight
    self.frameCount = frameCount
  }
}
