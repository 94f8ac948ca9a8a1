package import PhotoAttachments
import PhotoIngestion

/// What lies in the store.
extension S3BlobStorage {
  package func body(_ place: BlobPath, inPieces: Bool) throws(StoreError) -> PictureBody {
    let body = try asking(place) { object -> PictureBody? in
      guard inPieces, object.sizeBytes > RemotePicture.pieceBytes else {
        return try bytes(of: object).map { .bytes($0) }
      }
      return .remote(
        try RemotePicture(sizeBytes: object.sizeBytes, sha256: place.sha256) { [self] range in
          let piece = try asking(place, from: object) { object in
            try client.fetch(key(object), range)?.bytes
          }
          guard let piece else { throw StoreError.missingPhoto }
          return piece
        })
    }
    guard let body else { throw .missingPhoto }
    return body
  }

  /// The ledger's word is enough for a size: a name is given after the store's answer. What was lost since
  /// is found by `verify`.
  package func found(at place: BlobPath, quickly: Bool) throws(StoreError) -> BlobFacts? {
    guard quickly else { return try asking(place, facts(of:)) }
    return try ledger.object(of: place).map { object in
      BlobFacts(
        modified: 0,
        identity: FileIdentity(device: 0, inode: 0, size: object.sizeBytes, modified: 0))
    }
  }

  /// An object has no inode; its nonce and the tag of its bytes are as good.
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

  /// An object's bytes. Bytes that don't match its name are requested once more, over a new connection:
  /// they may have been changed on their way.
  private func bytes(of object: StoredObject) throws(StoreError) -> [UInt8]? {
    guard let bytes = try client.get(key(object)) else { return nil }
    if sha256(of: bytes) == object.place.sha256 { return bytes }
    return try client.get(key(object), usesNewConnection: true)
  }

  /// Asks the object of a picture. One that is not there is looked up again: it may have been replaced
  /// meanwhile.
  private func asking<Answer>(
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

  /// The object stays where it is and loses its name, so that it is never served.
  package func move(
    _ place: BlobPath, _ identity: FileIdentity, to quarantine: BlobPath
  ) throws(StoreError) -> Bool {
    guard let object = try ledger.object(of: place),
      try facts(of: object)?.identity == identity
    else { return false }
    return try ledger.quarantine(object, as: quarantine.name)
  }
}
