package import Foundation
import Glibc
import ImageContainers
package import PhotoAttachments
package import PhotoIngestion
import Synchronization

/// Pictures by the digest of their bytes, written so that a name never stands for a partial file.
///
/// A new file goes to `incoming/`, is synced, made read-only and renamed; then the folder is synced,
/// and its parent when this process meets it for the first time (another process may have made it
/// and died before its own sync). A file whose sync failed was never stored: the kernel may already
/// have dropped the bytes, so it is deleted and the next try begins with a new file.
package final class FolderStorage: BlobStorage {
  /// Who stores here, in which cache folder.
  let us: FolderOwner
  /// The cache folder.
  package var folder: CacheFolder { us.folder }
  private let syncedShards = Mutex<Set<String>>([])

  /// The store in a cache folder that was made.
  init(_ us: FolderOwner) { self.us = us }

  /// A name for a new file in `incoming/`, signed by us so that `sweep` leaves it alone while we live.
  /// Open it with `O_CREAT | O_EXCL`.
  func newIncomingName() throws(StoreError) -> String {
    var random = SystemRandomNumberGenerator()
    return try us.current().signature + "-" + String(random.next(), radix: 16)
  }

  /// Stores a picture; equal bytes already there are success, other bytes there are damage and get
  /// replaced.
  package func put(_ picture: EncodedPicture, kind: BlobPath.Kind) throws(StoreError)
    -> StoredPicture
  {
    let place = try picture.place(kind)
    let path = absolute(place)
    try withShard(place, make: true) { shard throws(StoreError) in
      // What cannot be read any more is damage too.
      if (try? existing(place, in: shard)) != picture.bytes {
        try write(picture.bytes, to: place, in: shard)
      }
      try SystemCalls.sync(folder: shard, path: path)
    }
    return StoredPicture(picture, at: place)
  }

  /// The bytes of a stored picture, not yet compared with their digest.
  ///
  /// - Throws: `StoreError.missingPhoto` when there is no such file; `.fault("blob-not-a-file")` when
  ///   a FIFO or the like has its name.
  package func read(_ place: BlobPath) throws(StoreError) -> [UInt8] {
    var bytes: [UInt8]?
    try withShard(place, make: false) { shard throws(StoreError) in
      bytes = try existing(place, in: shard)
    }
    guard let bytes else { throw .missingPhoto }
    return bytes
  }

  /// The same bytes, in an open file.
  package func body(_ place: BlobPath) throws(StoreError) -> PictureBody {
    var file: PictureFile?
    try withShard(place, make: false) { shard throws(StoreError) in
      file = try opened(place, in: shard)
    }
    guard let file else { throw .missingPhoto }
    return .file(file)
  }

  /// Size in bytes and time of writing (seconds since 1970) of a regular file there, nil without.
  ///
  /// - Throws: `StoreError.storage` when that cannot be told: a disk that fails has not lost the file.
  package func facts(_ place: BlobPath) throws(StoreError) -> BlobFacts? {
    var status = stat()
    let path = absolute(place)
    do throws(StoreError) {
      try SystemCalls.check("stat", path) { Int(lstat(path, &status)) }
    } catch {
      if [ENOENT, ENOTDIR].contains(error.systemErrno) { return nil }
      throw error
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    return BlobFacts(sizeBytes: Int(status.st_size), modified: status.st_mtim.tv_sec)
  }

  /// Why a picture that `facts` does not find is not there.
  package func absence(of place: BlobPath) -> StoreError {
    var status = stat()
    return lstat(absolute(place), &status) == 0 ? .fault(what: "blob-not-a-file") : .missingPhoto
  }

  /// Deletes a picture; one that is gone already is success. Call it only under a write transaction
  /// in which no record refers to the digest.
  ///
  /// - Returns: the bytes freed, nil when there was nothing.
  @discardableResult
  package func remove(_ place: BlobPath) throws(StoreError) -> Int? {
    guard let size = try facts(place)?.sizeBytes else { return nil }
    var removed: Int?
    let path = absolute(place)
    try withShard(place, make: false) { shard throws(StoreError) in
      if unlinkat(shard, place.name, 0) == 0 {
        removed = size
        try SystemCalls.sync(folder: shard, path: path)
      } else if errno != ENOENT {
        throw StoreError(operation: "unlink", path: path, errno: errno)
      }
    }
    return removed
  }

  /// Where a picture lies.
  package func url(of place: BlobPath) -> URL { URL(fileURLWithPath: absolute(place)) }

  /// The folders of a kind's pictures.
  package func shards(of kind: BlobPath.Kind) throws(StoreError) -> [String] {
    try folder.entries(of: kind.rawValue)
  }

  /// The pictures in one of those folders; other files are none of ours.
  package func list(_ kind: BlobPath.Kind, shard: String) throws(StoreError) -> [BlobPath] {
    try folder.entries(of: kind.rawValue + "/" + shard)
      .compactMap { BlobPath(kind, shard: shard, name: $0) }
  }

  /// Where a picture lies, as text.
  func absolute(_ place: BlobPath) -> String { folder.path + "/" + place.relativePath }

  private func write(
    _ bytes: [UInt8], to place: BlobPath, in shard: Int32
  ) throws(StoreError) {
    let incoming = try SystemCalls.open(
      folder.incoming, flags: O_RDONLY | O_DIRECTORY, path: folder.incoming)
    defer { close(incoming) }
    let name = try newIncomingName()
    let path = folder.incoming + "/" + name
    let file = try SystemCalls.open(
      name, in: incoming, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600, path: path)
    do throws(StoreError) {
      do throws(StoreError) {
        try SystemCalls.write(bytes, to: file, path: path)
        try SystemCalls.check("chmod", path) { Int(fchmod(file, 0o444)) }
        try SystemCalls.check("fsync", path) { Int(fsync(file)) }
      } catch {
        close(file)
        throw error
      }
      try SystemCalls.closeWritten(file, path: path)
      try SystemCalls.check("rename", path) { Int(renameat(incoming, name, shard, place.name)) }
    } catch {
      unlinkat(incoming, name, 0)
      throw error
    }
  }

  private func existing(_ place: BlobPath, in shard: Int32) throws(StoreError) -> [UInt8]? {
    guard let file = try opened(place, in: shard) else { return nil }
    return try SystemCalls.readAll(from: file.descriptor, path: absolute(place))
  }

  /// Opens a picture; nil when nothing of ours has its name.
  private func opened(_ place: BlobPath, in shard: Int32) throws(StoreError) -> PictureFile? {
    let path = absolute(place)
    let file: Int32
    do throws(StoreError) {
      file = try SystemCalls.open(
        place.name, in: shard, flags: O_RDONLY | O_NONBLOCK, path: path)
    } catch {
      // A link is nothing of ours; a new file takes its place.
      if [ENOENT, ELOOP].contains(error.systemErrno) { return nil }
      throw error
    }
    var status = stat()
    do throws(StoreError) {
      try SystemCalls.check("stat", path) { Int(fstat(file, &status)) }
      guard status.st_mode & S_IFMT == S_IFREG else { throw .fault(what: "blob-not-a-file") }
    } catch {
      close(file)
      throw error
    }
    return PictureFile(file, sizeBytes: Int(status.st_size), path: path)
  }

  /// Where a picture's shard folder lies.
  func shardPath(_ place: BlobPath) -> String {
    folder.path + "/" + place.kind.rawValue + "/" + place.shard
  }

  /// Runs `work` with the descriptor of a picture's shard folder, reached without following links.
  ///
  /// - Parameters:
  ///   - make: makes a missing folder; without it, a missing folder means that `work` is not run.
  ///   - syncsStore: whether a folder that was made is made to last; else `syncStores` has to.
  func withShard(
    _ place: BlobPath, make: Bool, syncsStore: Bool = true,
    _ work: (Int32) throws(StoreError) -> Void
  ) throws(StoreError) {
    let storePath = folder.path + "/" + place.kind.rawValue
    let path = shardPath(place)
    let store = try SystemCalls.open(storePath, flags: O_RDONLY | O_DIRECTORY, path: storePath)
    defer { close(store) }
    if make, mkdirat(store, place.shard, 0o700) != 0, errno != EEXIST {
      throw StoreError(operation: "mkdir", path: path, errno: errno)
    }
    let shard: Int32
    do throws(StoreError) {
      shard = try SystemCalls.open(
        place.shard, in: store, flags: O_RDONLY | O_DIRECTORY, path: path)
    } catch {
      if !make, error.systemErrno == ENOENT { return }
      throw error
    }
    defer { close(shard) }
    if make, syncsStore { try syncStores(of: [place]) }
    try work(shard)
  }

  /// Makes the shard folders of these places last, when this process meets them for the first time.
  func syncStores(of places: [BlobPath]) throws(StoreError) {
    let new = syncedShards.withLock { known in places.filter { !known.contains(shardPath($0)) } }
    for kind in Set(new.map(\.kind)) {
      let path = folder.path + "/" + kind.rawValue
      let store = try SystemCalls.open(path, flags: O_RDONLY | O_DIRECTORY, path: path)
      defer { close(store) }
      try SystemCalls.sync(folder: store, path: path)
    }
    syncedShards.withLock { $0.formUnion(new.map(shardPath)) }
  }
}

extension FolderStorage {
  /// The store in a cache folder whose records are kept elsewhere; makes what is missing.
  ///
  /// - Throws: `StoreError.cacheUnavailable` or `.unsafeCache`.
  package static func open(_ folder: CacheFolder) throws(StoreError) -> FolderStorage {
    try folder.make()
    return FolderStorage(FolderOwner(folder: folder))
  }
}
