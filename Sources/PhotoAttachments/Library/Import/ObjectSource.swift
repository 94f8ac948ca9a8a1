import PhotoIngestion
import SystemPackage

/// A store of objects that photos are imported from. Calls block.
package protocol ObjectSource: Sendable {
  /// The prefix of the addresses of its objects: `s3://BUCKET/`.
  var addressPrefix: String { get }
  /// Identifies the bucket among those of all stores, because different stores may have buckets of the same name.
  var origin: String { get }
  /// The address with everything that is needed to read there, except for secrets.
  var address: String { get }

  /// Returns a page of the objects, sorted by key.
  ///
  /// - Parameter token: the `next` of the previous page.
  func page(
    after token: String?
  ) throws(StoreError) -> (objects: [SourceObject], next: String?)

  /// Returns the beginning of an object, or all of it; `nil` if it is gone.
  ///
  /// - Parameter count: the number of bytes to read. `nil` reads all of them.
  func readObject(
    _ key: String, first count: Int?
  ) throws(StoreError) -> (object: SourceObject, bytes: [UInt8])?

  /// Returns `true` if an object belongs to the cache that is imported into, or is a picture of another cache.
  func belongsToCache(_ key: String) -> Bool

  /// Deletes an object that was read. Never deletes a newer object with the same key.
  ///
  /// - Parameter object: the object that `readObject` returned.
  /// - Returns: `false` if the object is gone or was replaced.
  func delete(_ object: SourceObject) throws(StoreError) -> Bool
}

extension ObjectSource {
  /// Returns the key of an object that was found here; `nil` if it is in another store.
  func key(of file: FoundFile) -> String? { key(known: file.key) }

  /// Returns the key of an object from its path in the catalog.
  func key(known: [UInt8]) -> String? {
    let origin = Array(origin.utf8)
    guard known.starts(with: origin) else { return nil }
    return String(validating: known.dropFirst(origin.count), as: UTF8.self)
  }
}

/// An object in the list of a store.
package struct SourceObject: Sendable, Equatable {
  package var key: String
  package var sizeBytes: Int
  /// A tag that changes with the object's bytes.
  package var tag: String
  /// Identifies the object among all that had the same key; `nil` if that is unknown.
  package var version: String?

  package init(key: String, sizeBytes: Int, tag: String, version: String? = nil) {
    self.key = key
    self.sizeBytes = sizeBytes
    self.tag = tag
    self.version = version
  }

  /// Identifies the content without reading it. Device and time stay zero, because they wouldn't add anything to the
  /// tag.
  var identity: FileIdentity {
    let digest = sha256(of: Array((key + "\0" + tag).utf8))
    let number = UInt64(digest.prefix(16), radix: 16) ?? 0
    return FileIdentity(
      device: 0, inode: Int64(bitPattern: number), size: sizeBytes, modified: 0)
  }
}

/// Walks the objects of a store like files of a folder.
final class ObjectWalk: EntryWalk {
  private let source: any ObjectSource
  private let filter: EntryFilter
  private var page: ArraySlice<SourceObject> = []
  private var token: String?
  private var isOver = false
  let isRemote = true

  init(_ source: any ObjectSource, _ options: ImportOptions) {
    self.source = source
    filter = EntryFilter(options)
  }

  func next() throws(StoreError) -> WalkedEntry? {
    while true {
      while let object = page.popFirst() {
        if let entry = entry(of: object) { return entry }
      }
      if isOver { return nil }
      let (objects, next) = try source.page(after: token)
      page = objects[...]
      token = next
      isOver = next == nil
    }
  }

  private func entry(of object: SourceObject) -> WalkedEntry? {
    let path = ObjectPath(object.key, in: source)
    // Some tools write such placeholders for folders.
    if object.key.hasSuffix("/"), object.sizeBytes == 0 { return nil }
    if source.belongsToCache(object.key) { return .refused(path.shown, .insideCache) }
    let key = Array(object.key.utf8)
    var refusal: ImportRefusal?
    for end in key.indices.filter({ key[$0] == UInt8(ascii: "/") }) + [key.endIndex] {
      let start = key[..<end].lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
      let name = Array(key[start..<end])
      if filter.isExcluded(name, below: key[..<end]) { return nil }
      refusal = refusal ?? filter.refusal(of: name, in: key[..<max(0, start - 1)])
      if end == key.endIndex, !filter.isIncluded(name, below: key[...]) { return nil }
    }
    if let refusal { return .refused(path.shown, refusal) }
    return .file(path.file(object.identity), .object(ObjectFetch(key: object.key, source: source)))
  }
}

/// The names of an object. Users see its address, and the catalog records the store's name with the key.
private struct ObjectPath {
  let shown: FilePath
  private let known: [UInt8]

  init(_ key: String, in source: any ObjectSource) {
    shown = FilePath(source.addressPrefix + key)
    known = Array((source.origin + key).utf8)
  }

  func file(_ identity: FileIdentity) -> FoundFile {
    FoundFile(path: shown, key: known, identity: identity, throughLink: false)
  }
}
