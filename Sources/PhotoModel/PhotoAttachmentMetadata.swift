public import Foundation
public import ImageContainers

/// The facts about an attached photo that are available without reading its pixels (seed 028,
/// "PhotoAttachmentMetadata"). The properties of `facts` (`fileName`, `fileSizeBytes`, `pixelWidth`, `pixelHeight`,
/// `uti`, `source`, `normalization` …) can be used directly.
///
/// The record on disk has no absolute path (decision 10). `cachedURL` is derived from the cache folder when the record
/// is read.
@dynamicMemberLookup
public struct PhotoAttachmentMetadata: Sendable, Equatable, Codable, Identifiable {
  /// The stable identifier of the photo.
  public var id: UUID
  /// The facts about the photo itself.
  public var facts: PhotoFacts
  /// The identifier in the photo library that it was picked from, or `nil` for a file (decision 11).
  public var assetIdentifier: String?
  /// The location of the blob, the normalized copy of the picture.
  public var cachedURL: URL
  /// The time when it was stored, which determines when it expires (decision 12).
  public var savedAt: Date
  /// The facts about the normalized blob.
  public var blob: StoredPicture
  /// The facts about the preview.
  public var preview: StoredPicture

  /// Creates metadata with these values.
  public init(
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

  /// Returns a fact about the photo.
  public subscript<Fact>(dynamicMember fact: KeyPath<PhotoFacts, Fact>) -> Fact {
    facts[keyPath: fact]
  }
}

/// The facts about a stored picture.
public struct StoredPicture: Sendable, Equatable, Codable {
  /// The path below the cache folder, such as `blobs/ab/cdef….jpg`.
  public var path: String
  /// The format.
  public var format: ImageFormat
  /// The size in bytes.
  public var sizeBytes: Int
  /// The SHA-256 of the bytes, 64 lower-case hexadecimal digits.
  public var sha256: String
  /// The width in pixels.
  public var pixelWidth: Int
  /// The height in pixels.
  public var pixelHeight: Int
  /// The number of frames that a browser plays.
  public var frameCount: Int

  /// Creates the facts about a stored picture.
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

/// The status of a draft's photo. It is the single source of truth (seed 028, "PhotoAttachmentStatus").
public enum PhotoAttachmentStatus: Sendable, Equatable, Codable {
  /// There is no photo.
  case empty
  /// A photo is being attached. This status never survives a restart.
  case loading
  /// A complete photo is stored.
  case confirmed(metadata: PhotoAttachmentMetadata)
}
