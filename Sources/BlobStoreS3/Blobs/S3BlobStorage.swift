package import Foundation
import HTTPClient
import ImageContainers
package import PhotoAttachments
package import PhotoIngestion
import Synchronization

/// Pictures as objects of an S3-compatible store: `PREFIX/blobs/ab/NONCE/cdef….jpg`. An `ObjectLedger` records which
/// nonce belongs to a picture.
///
/// A *nonce* is a part of the key that is never used twice. Each stored picture gets its own. It is named in the ledger
/// after the store has confirmed it, and deleted after the ledger has dropped it. A delayed request therefore can't
/// affect an object that a record refers to. The store only has to guarantee that a PUT is atomic and that a stored
/// object can be read.
package final class S3BlobStorage: ObjectBlobStorage {
  package let client: S3Client
  package let ledger: ObjectLedger
  private let count = Mutex(UInt64(0))

  package init(_ client: S3Client, ledger: ObjectLedger) {
    self.client = client
    self.ledger = ledger
  }

  package func key(_ object: StoredObject) -> String {
    let place = object.place
    return client.address.prefix
      + "\(place.kind.rawValue)/\(place.shard)/\(object.nonce)/\(place.name)"
  }

  /// Returns the object that a key names, or `nil` if the key doesn't belong to this store.
  package func object(key: String, sizeBytes: Int) -> StoredObject? {
    guard key.hasPrefix(client.address.prefix) else { return nil }
    return Self.object(
      of: key.dropFirst(client.address.prefix.count).split(
        separator: "/", omittingEmptySubsequences: false), sizeBytes: sizeBytes)
  }

  /// Returns `true` if a key is that of a picture in any such store, with any prefix.
  static func isPicture(_ key: String) -> Bool {
    let parts = key.split(separator: "/", omittingEmptySubsequences: false)
    return object(of: parts.suffix(4), sizeBytes: 0) != nil
  }

  private static func object(of parts: some Sequence<Substring>, sizeBytes: Int) -> StoredObject? {
    let parts = parts.map(String.init)
    guard parts.count == 4, let kind = BlobPath.Kind(rawValue: parts[0]),
      StoredObject.writer(of: parts[2]) != nil,
      let place = BlobPath(kind, shard: parts[1], name: parts[3])
    else { return nil }
    return StoredObject(place: place, nonce: parts[2], sizeBytes: sizeBytes)
  }

  package var isRemote: Bool { true }

  package func check() throws(StoreError) { _ = try client.head(client.address.prefix + "check") }

  // MARK: - Storing

  /// The object of a staged picture, which is stored but may not have a name in the ledger yet.
  private final class StagedObject: Sendable {
    enum State { case onItsWay, maybeNamed, named, discarded }

    let object: StoredObject
    let state: Mutex<State>

    init(_ object: StoredObject, _ state: State) {
      self.object = object
      self.state = Mutex(state)
    }
  }

  private func handle(of staged: StagedPicture) throws(StoreError) -> StagedObject {
    guard let handle = staged.handle as? StagedObject else { throw .fault(.stagedElsewhere) }
    return handle
  }

  /// Returns the object with a picture's name if the store reports the same size and entity tag for it. The bytes
  /// aren't read.
  private func findStored(
    _ picture: EncodedPicture, at place: BlobPath
  ) throws(StoreError) -> StoredObject? {
    guard let object = try ledger.object(of: place), let facts = try client.head(key(object)),
      facts.sizeBytes == picture.bytes.count,
      facts.etag == S3Client.md5(picture.bytes).hexadecimal
    else { return nil }
    return object
  }

  package func stage(
    _ picture: EncodedPicture, kind: BlobPath.Kind, unlessStored: Bool
  ) throws(StoreError) -> StagedPicture {
    let place = try picture.place(kind)
    let body = PictureBody.bytes(picture.bytes)
    if unlessStored, let object = try findStored(picture, at: place) {
      return StagedPicture(
        picture, at: place, url: url(object), body: body, handle: StagedObject(object, .named))
    }
    let number = count.withLock { count in
      count += 1
      return count
    }
    let object = StoredObject(
      place: place, nonce: try ledger.writer() + "-" + String(number, radix: 16),
      sizeBytes: picture.bytes.count)
    do throws(StoreError) {
      try client.put(
        key(object), picture.bytes, sha256: picture.sha256, type: picture.format.mime)
    } catch {
      // The object may have arrived despite the error. Nothing refers to it, so it is safe to delete.
      try? client.delete(key(object))
      throw error
    }
    return StagedPicture(
      picture, at: place, url: url(object), body: body, handle: StagedObject(object, .onItsWay))
  }

  package func name(_ staged: [StagedPicture]) throws(StoreError) {
    let handles = try staged.map(handle)
      .filter { $0.state.withLock { $0 != .named } }
    for handle in handles {
      guard handle.state.withLock({ $0 != .discarded }) else { throw .fault(.stagedDiscarded) }
      handle.state.withLock { $0 = .maybeNamed }
    }
    // If several pictures are equal, one object is enough.
    let objects = Dictionary(handles.map { ($0.object.place, $0.object) }) { first, _ in first }
    guard let replaced = try ledger.name(Array(objects.values)) else {
      throw .overloaded(
        service: client.address.shown, detail: "another process took this writer for dead")
    }
    for handle in handles where objects[handle.object.place] == handle.object {
      handle.state.withLock { $0 = .named }
    }
    // `removeUnfinished` deletes what can't be deleted now.
    try? delete(replaced)
  }

  package func discard(_ staged: StagedPicture) {
    guard let handle = staged.handle as? StagedObject else { return }
    let before = handle.state.withLock { state in
      defer { if state != .named { state = .discarded } }
      return state
    }
    if before == .named || before == .discarded { return }
    // If this fails, `removeUnfinished` deletes the object later.
    do throws(StoreError) {
      // The ledger may have named this object, or another one with the same bytes.
      if before == .maybeNamed {
        guard try ledger.abandon(handle.object) else { return }
        try delete([handle.object])
      } else {
        try client.delete(key(handle.object))
      }
    } catch {}
  }

  // MARK: - Deleting

  package func remove(_ place: BlobPath) throws(StoreError) -> Int? {
    guard let object = try ledger.doom(place) else { return nil }
    // The object has no name any more. `removeUnfinished` deletes it if that fails now.
    try? delete([object])
    return object.sizeBytes
  }

  private func delete(_ doomed: [StoredObject]) throws(StoreError) {
    for object in doomed { try client.delete(key(object)) }
    try ledger.forget(doomed)
  }

  /// Deletes doomed objects, which the ledger lists for deletion, and those that dead writers left without a name.
  /// Objects of writers that aren't in the ledger belong to another store and are kept.
  package func removeUnfinished(
    of shard: StoreShard, dryRun: Bool, isOld: (Int) -> Bool
  ) throws(StoreError) -> (files: Int, bytes: Int) {
    let doomed = try ledger.selectDoomed().filter { shard.contains($0.place.sha256) }
    if !dryRun { try delete(doomed) }
    var removed = (files: doomed.count, bytes: doomed.reduce(0) { $0 + $1.sizeBytes })
    // Writers are retired before objects are listed. From then on they can't name an object.
    let retired = try ledger.retireDead(dryRun: dryRun)
    if retired.isEmpty { return removed }
    // Lists the whole store at once, or each folder of the shard.
    let parts = shard == .whole ? [""] : shard.prefixes.map { $0 + "/" }
    for folder in BlobPath.Kind.allCases.flatMap({ kind in parts.map { kind.rawValue + "/" + $0 } })
    {
      var next: String?
      repeat {
        let page = try client.list(client.address.prefix + folder, after: next)
        let theirs = page.entries.compactMap { object(key: $0.key, sizeBytes: $0.sizeBytes) }
          .filter { StoredObject.writer(of: $0.nonce).map(retired.contains) ?? false }
        let known = try ledger.known(theirs.map(\.nonce))
        for object in theirs where !known.contains(object.nonce) {
          if !dryRun { try client.delete(key(object)) }
          removed.files += 1
          removed.bytes += object.sizeBytes
        }
        next = page.next
      } while next != nil
    }
    return removed
  }

  package func url(of place: BlobPath) -> URL {
    url((try? ledger.object(of: place)).map(key) ?? client.address.prefix + place.relativePath)
  }

  private func url(_ object: StoredObject) -> URL { url(key(object)) }

  private func url(_ key: String) -> URL {
    URL(string: "s3://\(client.address.bucket)/\(key)") ?? URL(fileURLWithPath: "/")
  }
}
