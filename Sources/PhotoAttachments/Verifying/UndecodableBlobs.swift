import Synchronization

/// Blobs of which a decoder said in this run that their bytes are no picture. A name stands for its
/// bytes, so that holds for as long as they are those that it tells.
final class UndecodableBlobs: Sendable {
  private let places = Mutex<Set<BlobPath>>([])

  func add(_ place: BlobPath) { places.withLock { _ = $0.insert(place) } }

  func contains(_ place: BlobPath) -> Bool { places.withLock { $0.contains(place) } }
}
