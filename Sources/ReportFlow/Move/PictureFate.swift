import PhotoAttachments
import PhotoIngestion

/// The result of copying a picture, where higher values are worse. `there` means that the target had it, `brought` that
/// it was copied, and `unstored` that the backup folder couldn't be read or written.
package enum PictureFate: Int, Sendable, Comparable {
  case present, copied, missing, unreadable, damaged, unstored

  package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

extension RecordedPicture {
  /// Returns the pictures of a photo that its record contains.
  static func all(of photo: SealedRecord) -> [RecordedPicture] {
    BlobPath.Kind.ofRecords.compactMap(photo.recorded)
  }

  /// Copies the picture unless the target has it. Verifies the digest of the bytes read.
  ///
  /// - Parameter provesTarget: verifies the digest of an existing picture in the target, and not only its size.
  /// - Throws: errors that don't concern only this picture.
  func copy(
    from source: any BlobStorage, to target: any BlobStorage, provesTarget: Bool
  ) throws(StoreError) -> PictureFate {
    let isThere = provesTarget ? target.isIntact(place) : try target.holds(self)
    if isThere { return .present }
    let bytes: [UInt8]
    do throws(StoreError) { bytes = try source.readPicture(place) } catch {
      switch error {
      case .missingPhoto: return .missing
      case .fault(.blobNotAFile): return .damaged
      case .storage: return .unreadable
      default: throw error
      }
    }
    guard bytes.count == sizeBytes, sha256(of: bytes) == place.sha256 else { return .damaged }
    _ = try target.put(EncodedPicture(bytes, at: place), kind: place.kind)
    return .copied
  }
}
