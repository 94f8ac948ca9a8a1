import Synchronization

/// Blobs that a decoder refused in this run. They are remembered by name, because a name is the
/// digest of the bytes: as long as the digest is right, the decoder would say the same again.
final class UndecodableBlobs: Sendable {
  private let places = Mutex<Set<BlobPath>>([])

  func add(_ place: BlobPath) { places.withLock { _ = $0.insert(place) } }

  func contains(_ place: BlobPath) -> Bool { places.withLock { $0.contains(place) } }
}
