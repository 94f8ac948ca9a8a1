package import ImageContainers

/// The location of a picture relative to the cache folder: `blobs/ab/cdef….jpg`, named by its SHA-256.
///
/// Records contain a digest and a format, never a path. A path can only be made from a valid digest, so no record can
/// lead out of the cache folder.
package struct BlobPath: Sendable, Hashable {
  package enum Kind: String, Sendable, CaseIterable {
    /// The cleaned picture of a photo in full resolution.
    case blob = "blobs"
    /// A small JPEG of a photo, or a WebP if it has transparent parts.
    case preview = "previews"
    /// Resized copies of blobs, which can be regenerated.
    case size = "sizes"

    /// The kinds of which every photo has exactly one picture. The photo's seal (`Seal`) covers their digests.
    package static let ofRecords: [Kind] = [.blob, .preview]
  }

  package let kind: Kind
  /// SHA-256 as 64 lowercase hexadecimal digits.
  package let sha256: String
  /// JPEG, PNG, GIF or WebP.
  package let format: ImageFormat
  /// The name of a damaged file that was moved to quarantine from this place. `nil` if the path isn't in quarantine.
  package let quarantined: String?

  /// A folder that a storage lists in one call.
  package enum Folder: Sendable, Hashable {
    /// The pictures of a kind whose digests begin with these two digits.
    case shard(Kind, String)
    case quarantine
  }

  /// Creates the path of a picture. `nil` if the digest is invalid or the store does not support the format.
  package init?(
    _ kind: Kind, sha256: String, format: ImageFormat, quarantined: String? = nil
  ) {
    guard isHexadecimal(sha256, digits: 64), format.isStored else { return nil }
    self.kind = kind
    self.sha256 = sha256
    self.format = format
    self.quarantined = quarantined
  }

  /// Creates the path of a picture from the digest and format in a record.
  package init?(_ kind: Kind, sha256: String?, format: String?) {
    guard let sha256, let format = format.flatMap(ImageFormat.init(rawValue:)) else { return nil }
    self.init(kind, sha256: sha256, format: format)
  }

  /// Parses a relative path. `nil` unless it has exactly the form of `relativePath`.
  package init?(relativePath: String) {
    let parts = relativePath.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, let kind = Kind(rawValue: String(parts[0])) else { return nil }
    self.init(kind, shard: String(parts[1]), name: String(parts[2]))
  }

  /// Parses the name of a file in a shard folder. `nil` unless it has exactly the form of `name`.
  package init?(_ kind: Kind, shard: String, name: String) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard shard.utf8.count == 2, parts.count == 2,
      let format = ImageFormat.allCases.first(where: { $0.fileExtensions[0] == parts[1] })
    else { return nil }
    self.init(kind, sha256: shard + parts[0], format: format)
  }

  /// Parses the name of a file in a folder. `nil` unless it has exactly the form of `name`.
  package init?(in folder: Folder, name: String) {
    switch folder {
    case .shard(let kind, let shard): self.init(kind, shard: shard, name: name)
    case .quarantine: self.init(quarantined: name)
    }
  }

  /// The name of the shard folder, which contains 1/256 of all pictures.
  package var shard: String { String(sha256.prefix(2)) }
  /// The name within its folder.
  package var name: String { quarantined ?? sha256.dropFirst(2) + "." + format.fileExtensions[0] }
  /// The path relative to the cache folder.
  package var relativePath: String {
    (quarantined == nil ? "\(kind.rawValue)/\(shard)" : "quarantine") + "/" + name
  }
}
