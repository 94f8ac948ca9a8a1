import PhotoIngestion
import SystemPackage

/// Objects of a store that photos are imported from. Calls block.
package protocol ObjectSource: Sendable {
  /// What the addresses of its objects begin with: `s3://BUCKET/`.
  var addressPrefix: String { get }
  /// Names that place among those of all stores: two of one name may lie in different stores.
  var origin: String { get }
  /// The address with everything that it takes to read there, and no secret.
  var address: String { get }

  /// A page of the objects, in the order of their keys.
  ///
  /// - Parameter token: where the page before ended.
  func page(
    after token: String?
  ) throws(StoreError) -> (objects: [SourceObject], next: String?)

  /// The beginning of an object, or all of it; nil when it is gone.
  ///
  /// - Parameter count: bytes of the beginning; nil for all.
  func read(
    _ key: String, first count: Int?
  ) throws(StoreError) -> (object: SourceObject, bytes: [UInt8])?

  /// Whether an object belongs to the cache that is imported into, or is a picture of another cache.
  func belongsToCache(_ key: String) -> Bool

  /// Deletes an object that was read, never another one that has its key by now.
  ///
  /// - Parameter object: as `read` returned it.
  /// - Returns: false when it is gone, or another one is there.
  func delete(_ object: SourceObject) throws(StoreError) -> Bool
}

extension ObjectSource {
  /// The key of an object that was found here; nil when it lies elsewhere.
  func key(of file: FoundFile) -> String? { key(known: file.key) }

  /// The key of an object by what it is known by in the catalog.
  func key(known: [UInt8]) -> String? {
    let origin = Array(origin.utf8)
    guard known.starts(with: origin) else { return nil }
    return String(validating: known.dropFirst(origin.count), as: UTF8.self)
  }
}

/// An object as a store lists it.
package struct SourceObject: Sendable, Equatable {
  package var key: String
  package var sizeBytes: Int
  /// Changes with its bytes.
  package var tag: String
  /// Names it among those that had its key; nil where that is not known.
  package var version: String?

  package init(key: String, sizeBytes: Int, tag: String, version: String? = nil) {
    self.key = key
    self.sizeBytes = sizeBytes
    self.tag = tag
    self.version = version
  }

  /// Names its content without reading it: of an object there is neither device nor time that would
  /// tell more than the tag.
  var identity: FileIdentity {
    let digest = sha256(of: Array((key + "\0" + tag).utf8))
    let number = UInt64(digest.prefix(16), radix: 16) ?? 0
    return FileIdentity(
      device: 0, inode: Int64(bitPattern: number), size: sizeBytes, modified: 0)
  }
}

/// Walks the objects of a store as if they were files of a folder.
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
    // A placeholder that some tools write for a folder.
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

/// How an object is called: shown by its address, known by the store's name and its key.
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
