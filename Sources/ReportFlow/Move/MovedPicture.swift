import PhotoAttachments
import PhotoIngestion

/// A picture that is moved, as its photo's record describes it.
package struct MovedPicture: Sendable {
  let place: BlobPath
  let sizeBytes: Int
  private let pixelWidth, pixelHeight, frameCount: Int

  /// What became of one, the worst last.
  package enum Fate: Int, Sendable, Comparable {
    case there, brought, missing, unreadable, damaged, unstored

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// The pictures of a photo, as far as its record says what can be.
  static func all(of photo: SealedRecord) -> [MovedPicture] {
    BlobPath.Kind.ofRecords.compactMap { MovedPicture(photo, $0) }
  }

  private init?(_ photo: SealedRecord, _ kind: BlobPath.Kind) {
    guard let picture = photo.recorded(kind), let width = photo.number(kind.column + "Width"),
      let height = photo.number(kind.column + "Height"),
      let frames = photo.number(kind.column + "FrameCount")
    else { return nil }
    (place, sizeBytes) = (picture.place, picture.sizeBytes)
    (pixelWidth, pixelHeight, frameCount) = (width, height, frames)
  }

  /// Copies the picture unless the target has it. Its digest is compared as it is read.
  ///
  /// - Parameter provesTarget: compares the digest of a picture that the target has, not only its size.
  /// - Throws: errors that are not about this picture alone.
  func bring(
    from source: any BlobStorage, to target: any BlobStorage, provesTarget: Bool
  ) throws(StoreError) -> Fate {
    let isThere =
      provesTarget
      ? target.isIntact(place) : try target.holds(RecordedPicture(place, sizeBytes: sizeBytes))
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
    _ = try target.put(
      EncodedPicture(
        bytes: bytes, format: place.format, pixelWidth: pixelWidth, pixelHeight: pixelHeight,
        frameCount: frameCount, sha256: place.sha256), kind: place.kind)
    return .brought
  }
}
