package import ImageContainers

/// Where a picture lies below the cache folder: `blobs/ab/cdef….jpg`, named by its SHA-256.
///
/// Records hold digest and format, never a path; a path can only be made from a valid digest, so
/// no record leads out of the cache folder.
package struct BlobPath: Sendable, Hashable {
  /// The stores of pictures.
  package enum Kind: String, Sendable, CaseIterable {
    case blob = "blobs"
    case preview = "previews"
    /// Sizes of blobs, which can be made again.
    case size = "sizes"

    /// Those of which each photo has one, under the seal of its record.
    package static let ofRecords: [Kind] = [.blob, .preview]
  }

  package let kind: Kind
  /// SHA-256, 64 lower-case hexadecimal digits.
  package let sha256: String
  /// JPEG, PNG, GIF or WebP.
  package let format: ImageFormat
  /// The name of a damaged file that was moved to quarantine from this place; nil for what is in its place.
  package let quarantined: String?

  /// What a storage lists at a time.
  package enum Folder: Sendable, Hashable {
    /// The pictures of a kind whose digests begin with these two digits.
    case shard(Kind, String)
    case quarantine
  }

  /// The place of a picture; nil when the digest is not one or the format is not stored.
  package init?(
    _ kind: Kind, sha256: String, format: ImageFormat, quarantined: String? = nil
  ) {
    guard isHexadecimal(sha256, digits: 64), format.isStored else { return nil }
    self.kind = kind
    self.sha256 = sha256
    self.format = format
    self.quarantined = quarantined
  }

  /// The place of a picture whose digest and format are on record as texts.
  package init?(_ kind: Kind, sha256: String?, format: String?) {
    guard let sha256, let format = format.flatMap(ImageFormat.init(rawValue:)) else { return nil }
    self.init(kind, sha256: sha256, format: format)
  }

  /// The place that a relative path names, nil unless it has exactly our form.
  package init?(relativePath: String) {
    let parts = relativePath.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, let kind = Kind(rawValue: String(parts[0])) else { return nil }
    self.init(kind, shard: String(parts[1]), name: String(parts[2]))
  }

  /// The place of a file found in a shard folder, nil unless its name has exactly our form.
  package init?(_ kind: Kind, shard: String, name: String) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard shard.utf8.count == 2, parts.count == 2,
      let format = ImageFormat.allCases.first(where: { $0.fileExtensions[0] == parts[1] })
    else { return nil }
    self.init(kind, sha256: shard + parts[0], format: format)
  }

  /// The place of a file found in a folder, nil unless its name has exactly our form.
  package init?(in folder: Folder, name: String) {
    switch folder {
    case .shard(let kind, let shard): self.init(kind, shard: shard, name: name)
    case .quarantine: self.init(quarantined: name)
    }
  }

  /// The folder of a 256th of all pictures.
  package var shard: String { String(sha256.prefix(2)) }
  /// The name in its folder.
  package var name: String { quarantined ?? sha256.dropFirst(2) + "." + format.fileExtensions[0] }
  /// The path below the cache folder.
  package var relativePath: String {
    (quarantined == nil ? "\(kind.rawValue)/\(shard)" : "quarantine") + "/" + name
  }
}
