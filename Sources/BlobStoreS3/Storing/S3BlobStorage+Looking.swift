import ImageContainers
package import PhotoAttachments
import PhotoIngestion

/// What lies in the store.
extension S3BlobStorage {
  package func read(_ place: BlobPath) throws(StoreError) -> [UInt8] {
    guard let bytes = try asking(place, bytes(of:)) else { throw .missingPhoto }
    return bytes
  }

  package func body(_ place: BlobPath) throws(StoreError) -> PictureBody {
    .bytes(try read(place))
  }

  package func facts(_ place: BlobPath) throws(StoreError) -> BlobFacts? {
    try asking(place) { object throws(StoreError) in try client.head(key(object)) }.map {
      BlobFacts(sizeBytes: $0.sizeBytes, modified: $0.modified)
    }
  }

  /// The ledger's word is enough: a name is given after the store's answer. What was lost since finds
  /// `verify`.
  package func holds(_ picture: RecordedPicture) throws(StoreError) -> Bool {
    try ledger.object(of: picture.place)?.sizeBytes == picture.sizeBytes
  }

  package func absence(of place: BlobPath) -> StoreError { .missingPhoto }

  package func shards(of kind: BlobPath.Kind) throws(StoreError) -> [String] {
    try ledger.shards(of: kind)
  }

  package func list(
    _ kind: BlobPath.Kind, shard: String
  ) throws(StoreError) -> [BlobPath] {
    try ledger.places(kind, shard: shard)
  }

  /// An object's bytes. Other bytes than its name tells are asked for once more, over a new connection:
  /// they may have been changed on their way.
  private func bytes(of object: StoredObject) throws(StoreError) -> [UInt8]? {
    guard let bytes = try client.get(key(object)) else { return nil }
    if sha256(of: bytes) == object.place.sha256 { return bytes }
    return try client.get(key(object), isFresh: true)
  }

  /// Asks the object of a picture. One that is not there is looked up again: it may have been replaced
  /// meanwhile.
  private func asking<Answer>(
    _ place: BlobPath, _ ask: (StoredObject) throws(StoreError) -> Answer?
  ) throws(StoreError) -> Answer? {
    var asked: StoredObject?
    while let object = try ledger.object(of: place), object != asked {
      if let answer = try ask(object) { return answer }
      asked = object
    }
    return nil
  }

  // MARK: - Damage

  package func identity(_ place: BlobPath) -> FileIdentity? {
    guard let object = try? ledger.object(of: place) else { return nil }
    return try? identity(object)
  }

  /// An object has no inode; its nonce and the tag of its bytes are as good.
  private func identity(_ object: StoredObject) throws(StoreError) -> FileIdentity? {
    guard let facts = try client.head(key(object)) else { return nil }
    let digest = sha256(of: Array("\(object.nonce) \(facts.etag)".utf8))
    return FileIdentity(
      device: 0, inode: Int64(digest.prefix(15), radix: 16) ?? 0, size: facts.sizeBytes,
      modified: Int64(facts.modified))
  }

  /// The object stays where it is and loses its name, so that it is never served.
  package func putAside(
    _ place: BlobPath, _ identity: FileIdentity, problem: StoreProblem, holds: String?
  ) throws(StoreError) -> String? {
    guard let object = try ledger.object(of: place), try self.identity(object) == identity else {
      return nil
    }
    let name =
      "\(QuarantinedFile.origin(place))-\(problem.rawValue)-\(holds ?? "unread")-"
      + "\(identity.modified)-\(object.nonce.replacing("-", with: "_"))"
      + ".\(place.format.fileExtensions[0])"
    guard let file = QuarantinedFile(name: name) else { throw .fault(what: "quarantine-name") }
    return try ledger.putAside(object, as: name) ? file.path : nil
  }

  package func quarantined() throws(StoreError) -> [QuarantinedFile] {
    try ledger.aside().compactMap { QuarantinedFile(name: $0.name) }
  }

  package func read(_ file: QuarantinedFile, sha256 digest: String) -> [UInt8]? {
    guard let object = try? ledger.aside().first(where: { "quarantine/" + $0.name == file.path }),
      let bytes = try? client.get(key(object.object))
    else { return nil }
    return sha256(of: bytes) == digest ? bytes : nil
  }
}
