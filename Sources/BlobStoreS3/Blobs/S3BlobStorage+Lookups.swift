package import PhotoAttachments
import PhotoIngestion

/// Looking up stored pictures.
extension S3BlobStorage {
  package func body(_ place: BlobPath, inPieces: Bool) throws(StoreError) -> PictureBody {
    let body = try withObject(place) { object -> PictureBody? in
      guard inPieces, object.sizeBytes > RemotePicture.pieceBytes else {
        return try bytes(of: object).map { .bytes($0) }
      }
      return .remote(
        try RemotePicture(sizeBytes: object.sizeBytes, sha256: place.sha256) { [self] range in
          let piece = try withObject(place, from: object) { object in
            try client.fetch(key(object), range)?.bytes
          }
          guard let piece else { throw StoreError.missingPhoto }
          return piece
        })
    }
    guard let body else { throw .missingPhoto }
    return body
  }

  /// Returns the facts of a stored picture. For a quick answer the ledger is enough, because an object is named only
  /// after the store has confirmed it. `verify` finds objects that were lost since.
  package func findBlob(at place: BlobPath, quickly: Bool) throws(StoreError) -> BlobFacts? {
    guard quickly else { return try withObject(place, facts(of:)) }
    return try ledger.object(of: place).map { object in
      BlobFacts(
        modified: 0,
        identity: FileIdentity(device: 0, inode: 0, size: object.sizeBytes, modified: 0))
    }
  }

  /// Returns the facts of an object. Objects have no inode, so a hash of the nonce and the entity tag takes its place.
  private func facts(of object: StoredObject) throws(StoreError) -> BlobFacts? {
    guard let facts = try client.head(key(object)) else { return nil }
    let digest = sha256(of: Array("\(object.nonce) \(facts.etag)".utf8))
    let identity = FileIdentity(
      device: 0, inode: Int64(digest.prefix(15), radix: 16) ?? 0, size: facts.sizeBytes,
      modified: Int64(facts.modified))
    return BlobFacts(modified: facts.modified, identity: identity)
  }

  package func list(_ folder: BlobPath.Folder) throws(StoreError) -> [BlobPath] {
    try ledger.places(in: folder)
  }

  /// Returns an object's bytes. If they don't match its name, they are requested again over a new connection, because
  /// they may have been damaged in transit.
  private func bytes(of object: StoredObject) throws(StoreError) -> [UInt8]? {
    guard let bytes = try client.get(key(object)) else { return nil }
    if sha256(of: bytes) == object.place.sha256 { return bytes }
    return try client.get(key(object), usesNewConnection: true)
  }

  /// Calls `ask` with the object of a picture. If the object doesn't exist, the ledger is read again, because the
  /// object may have been replaced meanwhile.
  private func withObject<Answer>(
    _ place: BlobPath, from known: StoredObject? = nil,
    _ ask: (StoredObject) throws -> Answer?
  ) throws(StoreError) -> Answer? {
    try StoreError.catching {
      var asked = known
      if let known, let answer = try ask(known) { return answer }
      while let object = try ledger.object(of: place), object != asked {
        if let answer = try ask(object) { return answer }
        asked = object
      }
      return nil
    }
  }

  // MARK: - Quarantine

  /// Removes the object's name in the ledger, so that it is never served. The object itself stays in the store.
  package func move(
    _ place: BlobPath, _ identity: FileIdentity, to quarantine: BlobPath
  ) throws(StoreError) -> Bool {
    guard let object = try ledger.object(of: place),
      try facts(of: object)?.identity == identity
    else { return false }
    return try ledger.quarantine(object, as: quarantine.name)
  }
}
