import PhotoAttachments
import ImageContainers
import PhotoIngestion

/// A picture on its way, as its photo's record describes it.
struct MovedPicture: Sendable {
  let place: BlobPath
  let sizeBytes: Int
  private let pixelWidth, pixelHeight, frameCount: Int

  /// What becomes of one, the worst last.
  enum Fate: Int, Sendable, Comparable {
    case there, brought, missing, damaged

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
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

  /// Copies it unless it is there. Its digest is proved as it is read; the target proves it as it
  /// proves everything that it stores.
  func bring(
    from source: any BlobStorage, to target: any BlobStorage
  ) throws(StoreError) -> Fate {
    if try target.holds(RecordedPicture(place, sizeBytes: sizeBytes)) { return .there }
    let bytes: [UInt8]
    do throws(StoreError) { bytes = try source.read(place) } catch {
      switch error {
      case .missingPhoto: return .missing
      case .fault(.blobNotAFile): return .damaged
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
