/// An object store that contains a cache's pictures. `BlobStoreS3` creates one for a bucket.
public struct ObjectStore: Sendable {
  /// Identifies the location of the objects. All objects in a ledger (`ObjectLedger`) have the same location.
  package let place: String
  /// Creates the storage over a ledger.
  package let storage: @Sendable (ObjectLedger) -> any BlobStorage

  package init(place: String, storage: @escaping @Sendable (ObjectLedger) -> any BlobStorage) {
    self.place = place
    self.storage = storage
  }
}
