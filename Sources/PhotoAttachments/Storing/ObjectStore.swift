/// A store of objects that keeps pictures for a cache.
package struct ObjectStore: Sendable {
  /// Names where its objects lie: a ledger is of one place.
  package let place: String
  /// The storage over a ledger.
  package let storage: @Sendable (any ObjectLedger) -> any BlobStorage

  package init(
    place: String, storage: @escaping @Sendable (any ObjectLedger) -> any BlobStorage
  ) {
    (self.place, self.storage) = (place, storage)
  }
}
