public import Foundation
public import ImageContainers

/// What is known of an attached photo without reading its pixels (seed 028,
/// "PhotoAttachmentMetadata"). The properties of its facts (`fileName`, `fileSizeBytes`,
/// `pixelWidth`, `pixelHeight`, `uti`, `source`, `normalization` …) can be used directly.
///
/// The record on disk holds no absolute path (decision 10); `cachedURL` is derived from the cache
/// folder when the record is read.
@dynamicMemberLookup
public struct PhotoAttachmentMetadata: Sendable, Equatable, Codable, Identifiable {
  /// Stable identifier of the photo.
  public var id: UUID
  /// What is known of the photo itself.
  public var facts: PhotoFacts
  /// The library photo it was picked from, nil for a file (decision 11).
  public var assetIdentifier: String?
  /// Where the normalized blob lies.
  public var cachedURL: URL
  /// When it was stored; drives expiry (decision 12).
  public var savedAt: Date
  /// Facts of the normalized blob.
  public var blob: StoredPicture
  /// Facts of the preview.
  public var preview: StoredPicture

  /// Metadata with these values.
  package init(
    id: UUID, facts: PhotoFacts, assetIdentifier: String?, cachedURL: URL, savedAt: Date,
    blob: StoredPicture, preview: StoredPicture
  ) {
    self.id = id
    self.facts = facts
    self.assetIdentifier = assetIdentifier
    self.cachedURL = cachedURL
    self.savedAt = savedAt
    self.blob = blob
    self.preview = preview
  }

  /// A fact of the photo.
  public subscript<Fact>(dynamicMember fact: KeyPath<PhotoFacts, Fact>) -> Fact {
    facts[keyPath: fact]
  }
}

/// Facts about a picture in the store.
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
  package init(
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

/// The single source of truth for an attachment's status (seed 028, "PhotoAttachmentStatus").
public enum PhotoAttachmentStatus: Sendable, Equatable, Codable {
  /// No photo.
  case empty
  /// A photo is on its way; never survives a restart.
  case loading
  /// A complete photo is stored.
  case confirmed(metadata: PhotoAttachmentMetadata)
}
