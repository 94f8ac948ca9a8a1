import PhotoAttachments
import PhotoIngestion

/// The result of copying a picture. The worst comes last.
package enum PictureFate: Int, Sendable, Comparable {
  case there, brought, missing, unreadable, damaged, unstored

  package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

extension RecordedPicture {
  /// The pictures of a photo, as far as its record says what can be.
  static func all(of photo: SealedRecord) -> [RecordedPicture] {
    BlobPath.Kind.ofRecords.compactMap(photo.recorded)
  }

  /// Copies the picture unless the target has it. Its digest is compared as it is read.
  ///
  /// - Parameter provesTarget: compares the digest of a picture that the target has, not only its size.
  /// - Throws: errors that are not about this picture alone.
  func bring(
    from source: any BlobStorage, to target: any BlobStorage, provesTarget: Bool
  ) throws(StoreError) -> PictureFate {
    let isThere = provesTarget ? target.isIntact(place) : try target.holds(self)
    if isThere { return .there }
    let bytes: [UInt8]
    do throws(StoreError) { bytes = try source.read(place) } catch {
      switch error {
      case .missingPhoto: return .missing
      case .fault(.blobNotAFile): return .damaged
      case .storage: return .unreadable
      default: throw error
      }
    }
    guard bytes.count == sizeBytes, sha256(of: bytes) == place.sha256 else { return .damaged }
    _ = try target.put(EncodedPicture(bytes, at: place), kind: place.kind)
    return .brought
  }
}
