/// Which object stands for each picture, for a storage of objects, where a request may be done long
/// after nobody waits for it any more. So no name is ever used twice: an object is called by its picture
/// and a *nonce*, and the ledger says which nonce stands for a picture now. A late request then meets an
/// object that nobody reads.
///
/// An object is first *on its way* (known by its writer alone), then *named*, at last *doomed* (it waits
/// to be deleted) or *put aside*. Only what the ledger did not know, or what its dead writers left on its
/// way, is never named again; so only that, and what is doomed, is ever deleted.
///
/// Calls block, happen whole or not at all, and are durable when they return; what throws did not happen.
/// They can be made inside of a catalog's `naming` and `deleting`, and are no part of the catalog's act.
/// The protocol is searched through in Scripts/modelling/blobs.pml.
package protocol ObjectLedger: Sendable {
  /// Our number as a writer, 32 hexadecimal digits that nobody else has or had: nonces begin with it. It
  /// is on record before it is told; a new one when the last was retired.
  func writer() throws(StoreError) -> String

  /// Gives pictures these objects, all of them stored whole by our writer, or none; the objects that
  /// stood for the pictures before are doomed.
  ///
  /// - Parameter objects: one for each picture.
  /// - Returns: what was doomed; nil when somebody retired the writer and nothing was named: store them
  ///   once more.
  func name(_ objects: [StoredObject]) throws(StoreError) -> [StoredObject]?

  /// The object that stands for a picture, nil when none does.
  func object(of place: BlobPath) throws(StoreError) -> StoredObject?

  /// Dooms an object of our writer unless it is named; tells whether it is doomed now.
  func abandon(_ object: StoredObject) throws(StoreError) -> Bool

  /// Dooms the object that stands for a picture, nil when none does. Call it only where a catalog says
  /// that the picture may be deleted.
  func doom(_ place: BlobPath) throws(StoreError) -> StoredObject?

  /// Takes an object from its picture and keeps it under a name in quarantine; tells whether it stood for
  /// the picture until now.
  func putAside(_ object: StoredObject, as name: String) throws(StoreError) -> Bool

  /// What was put aside.
  func aside() throws(StoreError) -> [(name: String, object: StoredObject)]

  /// Objects that wait to be deleted.
  func doomed() throws(StoreError) -> [StoredObject]

  /// Forgets doomed objects, which were deleted.
  func forget(_ doomed: [StoredObject]) throws(StoreError)

  /// Pictures whose digests begin with these two digits and that an object stands for.
  func places(_ kind: BlobPath.Kind, shard: String) throws(StoreError) -> [BlobPath]

  /// Whether an object stands for any picture.
  func hasPictures() throws(StoreError) -> Bool

  /// Retires the writers whose process is gone, so that they name nothing any more, whatever they still
  /// do; a dry run retires nobody.
  ///
  /// - Returns: those that are retired, or would be: objects of theirs that stand for nothing are rubbish.
  func retireDead(dryRun: Bool) throws(StoreError) -> Set<String>

  /// Those of the nonces whose objects are named, doomed or put aside.
  func known(_ nonces: [String]) throws(StoreError) -> Set<String>
}

/// One object of a picture.
package struct StoredObject: Sendable, Hashable {
  package let place: BlobPath
  /// The number of its writer, a hyphen, and the writer's count in hexadecimal digits.
  package let nonce: String
  package let sizeBytes: Int

  package init(place: BlobPath, nonce: String, sizeBytes: Int) {
    (self.place, self.nonce, self.sizeBytes) = (place, nonce, sizeBytes)
  }

  /// Who wrote an object of this nonce, nil when it is no nonce of ours.
  package static func writer(of nonce: String) -> String? {
    let parts = nonce.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 32, !parts[1].isEmpty,
      parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) } })
    else { return nil }
    return String(parts[0])
  }
}

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
