package import Foundation
import Glibc
package import PhotoIngestion
import Synchronization

/// A storage for pictures in a local folder, named by the digest of their bytes. A name never refers to a partial file.
///
/// A new file is written to `incoming/`, made read-only, synced and renamed. Then its folder is synced. The folder's
/// parent is synced too when this process first uses the folder, because another process may have created it and died
/// before its own sync. If the sync of a file fails, the kernel may already have dropped its bytes, so the file is
/// deleted and the next attempt starts with a new one.
///
/// To keep waits few, pictures are written one by one as they are made, and then synced and named together.
package final class FolderStorage: BlobStorage {
  /// The registration of this process at the cache folder.
  let worker: FolderWorker
  package var folder: CacheFolder { worker.folder }
  /// The paths of shard folders (one per first two digits of the digests) whose parents this process has synced.
  private let syncedShards = Mutex<Set<String>>([])

  /// Creates a storage in a cache folder that already exists.
  package init(_ worker: FolderWorker) { self.worker = worker }

  /// Opens a storage in a cache folder whose records are kept elsewhere. Creates missing folders.
  ///
  /// - Throws: `StoreError.cacheUnavailable` or `.unsafeCache`.
  package static func open(_ folder: CacheFolder) throws(StoreError) -> FolderStorage {
    try folder.make()
    return FolderStorage(FolderWorker(folder: folder))
  }

  /// Returns a storage for a folder that is only read.
  package static func existing(_ folder: CacheFolder) -> FolderStorage {
    FolderStorage(FolderWorker(folder: folder))
  }

  package var isRemote: Bool { false }

  // MARK: - Storing

  /// The handle of a staged picture. Its file stays open from the first byte until the sync, because the kernel reports
  /// a failed write-back only to descriptors that were open when it happened.
  private enum Staged: Sendable {
    /// A file of this name in `incoming/`, complete but not yet synced.
    case incoming(String)
    /// Equal bytes are already stored under the final name.
    case stored
  }

  private func handle(of staged: StagedPicture) throws(StoreError) -> Staged {
    guard let handle = staged.handle as? Staged else { throw .fault(.stagedElsewhere) }
    return handle
  }

  /// Returns a name for a new file in `incoming/`. It contains the signature of this process, so `sweep` keeps the file
  /// while the process lives.
  func newIncomingName() throws(StoreError) -> String {
    try worker.current().signature + "-" + String(UInt64.random(in: 0 ... .max), radix: 16)
  }

  /// Writes a picture to `incoming/` and starts its write-back to the disk.
  package func stage(
    _ picture: EncodedPicture, kind: BlobPath.Kind, unlessStored: Bool
  ) throws(StoreError) -> StagedPicture {
    let place = try picture.place(kind)
    if unlessStored, let file = try findStored(picture, at: place) {
      return StagedPicture(
        picture, at: place, url: url(of: place), body: .file(file), handle: Staged.stored)
    }
    let name = try newIncomingName()
    let path = folder.incoming + "/" + name
    let file = PictureFile(
      try SystemCalls.open(path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600, path: path),
      sizeBytes: picture.bytes.count, path: path)
    do throws(StoreError) {
      try SystemCalls.write(picture.bytes, to: file.descriptor, path: path)
      try SystemCalls.check("chmod", path) { Int(fchmod(file.descriptor, 0o444)) }
      // Only a hint to start the write-back. The sync before naming waits for it.
      posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
    } catch {
      unlink(path)
      throw error
    }
    return StagedPicture(
      picture, at: place, url: url(of: place), body: .file(file), unsynced: file,
      handle: Staged.incoming(name))
  }

  /// Returns the file at a picture's place if its bytes are equal. Creates the folder if it is missing.
  private func findStored(
    _ picture: EncodedPicture, at place: BlobPath
  ) throws(StoreError) -> PictureFile? {
    var file: PictureFile?
    try withDirectory(place, make: true) { directory in
      // A file that cannot be read counts as damaged.
      file = try? Self.openPicture(place.name, in: directory, path: absolute(place))
      if let found = file, (try? PictureBody.file(found).all()) != picture.bytes { file = nil }
    }
    return file
  }

  /// Renames synced pictures to their final names and syncs each folder once.
  package func name(_ staged: [StagedPicture]) throws(StoreError) {
    let incoming = try SystemCalls.open(
      folder.incoming, flags: O_RDONLY | O_DIRECTORY, path: folder.incoming)
    defer { close(incoming) }
    for picture in staged {
      guard case .incoming(let name) = try handle(of: picture) else { continue }
      let path = absolute(picture.place)
      // Move a link or FIFO aside instead of replacing it, because a user may have put it there. A folder makes the
      // rename fail.
      if let there = try SystemCalls.status(path, path: path),
        ![S_IFREG, S_IFDIR].contains(there.st_mode & S_IFMT)
      {
        _ = try quarantine(
          picture.place, FileIdentity(there), problem: .unreadable, holds: nil)
      }
      try withDirectory(picture.place, make: true, syncsStore: false) { target in
        try SystemCalls.check("rename", path) {
          Int(renameat(incoming, name, target, picture.place.name))
        }
      }
    }
    let shards = Dictionary(staged.map { (shardPath($0.place), $0.place) }) { first, _ in first }
    try syncStores(of: Array(shards.values))
    _ = try Array(shards).concurrentMap { [self] shard in
      try withDirectory(shard.value, make: false) { target in
        try SystemCalls.sync(target, path: shard.key)
      }
    }
  }

  package func discard(_ staged: StagedPicture) {
    guard case .incoming(let name)? = try? handle(of: staged) else { return }
    unlink(folder.incoming + "/" + name)
  }

  // MARK: - Looking

  package func body(_ place: BlobPath, inPieces _: Bool) throws(StoreError) -> PictureBody {
    var file: PictureFile?
    try withDirectory(place, make: false) { directory in
      file = try Self.openPicture(place.name, in: directory, path: absolute(place))
    }
    guard let file else { throw .missingPhoto }
    return .file(file)
  }

  /// Opens a picture. `nil` if the file is missing or a link.
  private static func openPicture(
    _ name: String, in folder: Int32, path: String
  ) throws(StoreError) -> PictureFile? {
    let file: Int32
    do throws(StoreError) {
      file = try SystemCalls.open(name, in: folder, flags: O_RDONLY | O_NONBLOCK, path: path)
    } catch {
      // A link does not count as a picture. A new file replaces it.
      if [ENOENT, ELOOP].contains(error.systemErrno) { return nil }
      throw error
    }
    return try .regular(file, path: path)
  }

  /// Returns facts about the file at a picture's place. Never follows links.
  package func findBlob(at place: BlobPath, quickly _: Bool) throws(StoreError) -> BlobFacts? {
    let path = absolute(place)
    guard let status = try SystemCalls.status(path, path: path) else { return nil }
    return BlobFacts(
      modified: status.st_mtim.tv_sec, identity: FileIdentity(status),
      isOther: status.st_mode & S_IFMT != S_IFREG)
  }

  package func url(of place: BlobPath) -> URL { URL(fileURLWithPath: absolute(place)) }

  package func list(_ listed: BlobPath.Folder) throws(StoreError) -> [BlobPath] {
    let path =
      switch listed {
      case .shard(let kind, let shard): kind.rawValue + "/" + shard
      case .quarantine: "quarantine"
      }
    return try folder.entries(of: path).compactMap { BlobPath(in: listed, name: $0) }
  }

  // MARK: - Deleting and moving

  /// Deletes a picture. Call it only in a write transaction in which no record refers to the digest.
  package func remove(_ place: BlobPath) throws(StoreError) -> Int? {
    guard let size = try facts(place)?.sizeBytes else { return nil }
    var removed: Int?
    let path = absolute(place)
    try withDirectory(place, make: false) { directory in
      if unlinkat(directory, place.name, 0) == 0 {
        removed = size
        try SystemCalls.sync(directory, path: path)
      } else if errno != ENOENT {
        throw StoreError(operation: "unlink", path: path, errno: errno)
      }
    }
    return removed
  }

  /// Deletes files in `incoming/` that no living process works on, and the locks of dead processes. The spool file of
  /// an upload has no owner in its name and counts as abandoned once it is old. Files with other names, and anything
  /// that isn't a regular file, stay.
  package func removeUnfinished(
    of shard: StoreShard, dryRun: Bool, isOld: (Int) -> Bool
  ) throws(StoreError) -> (files: Int, bytes: Int) {
    guard shard.isFirst else { return (0, 0) }
    var removed = (files: 0, bytes: 0)
    let names = try folder.entries(of: "incoming")
    let incoming =
      try names.isEmpty
      ? -1 : SystemCalls.open(folder.incoming, flags: O_RDONLY | O_DIRECTORY, path: folder.incoming)
    defer { if !names.isEmpty { close(incoming) } }
    for name in names {
      let owner = ProcessOwner(fileName: name)
      guard owner != nil || name.wholeMatch(of: /upload-[0-9]+-[0-9]+/) != nil else { continue }
      let path = folder.incoming + "/" + name
      guard let status = try SystemCalls.status(name, in: incoming, path: path),
        status.st_mode & S_IFMT == S_IFREG,
        owner.map({ !$0.isAlive(in: folder) }) ?? isOld(status.st_mtim.tv_sec)
      else { continue }
      if !dryRun, unlinkat(incoming, name, 0) != 0 {
        if errno == ENOENT { continue }
        throw StoreError(operation: "unlink", path: path, errno: errno)
      }
      removed.files += 1
      removed.bytes += Int(status.st_size)
    }
    if !dryRun { try ProcessLock.removeDead(in: folder) }
    return removed
  }

  package func move(
    _ place: BlobPath, _ identity: FileIdentity, to quarantine: BlobPath
  ) throws(StoreError) -> Bool {
    let path = absolute(place)
    let name = quarantine.name
    var isMoved = false
    func move(from directory: Int32, to target: Int32) throws(StoreError) {
      do throws(StoreError) {
        try SystemCalls.check("rename", path) { Int(renameat(directory, place.name, target, name)) }
      } catch {
        if error.systemErrno == ENOENT { return }
        throw error
      }
      var moved = stat()
      let code = fstatat(target, name, &moved, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno
      isMoved = code == 0 && moved.st_ino == UInt64(bitPattern: identity.inode)
      if !isMoved {
        // Another process stored the picture again in the meantime.
        try SystemCalls.check("rename", path) { Int(renameat(target, name, directory, place.name)) }
      }
      try SystemCalls.sync(target, path: shardPath(quarantine))
      try SystemCalls.sync(directory, path: path)
      // If the file could not be checked, it was put back as well.
      if code != 0 { throw StoreError(operation: "stat", path: path, errno: code) }
    }
    try withDirectory(quarantine, make: true) { target in
      try withDirectory(place, make: false) { directory in
        try move(from: directory, to: target)
      }
    }
    return isMoved
  }

  // MARK: - Folders

  private func absolute(_ place: BlobPath) -> String { folder.path + "/" + place.relativePath }

  /// Returns the folder that contains a picture's shard folder. For quarantine, that is the cache folder.
  private func storePath(_ place: BlobPath) -> String {
    folder.path + "/" + (place.quarantined == nil ? place.kind.rawValue : ".")
  }

  private func shardName(_ place: BlobPath) -> String {
    place.quarantined == nil ? place.shard : "quarantine"
  }

  private func shardPath(_ place: BlobPath) -> String {
    storePath(place) + "/" + shardName(place)
  }

  /// Calls `work` with the descriptor of a picture's shard folder, which is opened without following links.
  ///
  /// - Parameters:
  ///   - make: `true` creates a missing folder. If `false`, `work` is not called for a missing folder.
  ///   - syncsStore: `true` makes a new folder durable. If `false`, the caller must call `syncStores`.
  private func withDirectory(
    _ place: BlobPath, make: Bool, syncsStore: Bool = true,
    _ work: (Int32) throws -> Void
  ) throws(StoreError) {
    let storePath = storePath(place)
    let name = shardName(place)
    let path = shardPath(place)
    let store = try SystemCalls.open(storePath, flags: O_RDONLY | O_DIRECTORY, path: storePath)
    defer { close(store) }
    func opened() throws(StoreError) -> Int32? {
      do throws(StoreError) {
        return try SystemCalls.open(name, in: store, flags: O_RDONLY | O_DIRECTORY, path: path)
      } catch {
        if error.systemErrno == ENOENT { return nil }
        throw error
      }
    }
    var directory = try opened()
    if make, directory == nil {
      if mkdirat(store, name, 0o700) != 0, errno != EEXIST {
        throw StoreError(operation: "mkdir", path: path, errno: errno)
      }
      directory = try opened()
    }
    guard let directory else { return }
    defer { close(directory) }
    if make, syncsStore { try syncStores(of: [place]) }
    try StoreError.catching { try work(directory) }
  }

  /// Makes the shard folders of these places durable when this process uses them for the first time.
  private func syncStores(of places: [BlobPath]) throws(StoreError) {
    let new = syncedShards.withLock { known in places.filter { !known.contains(shardPath($0)) } }
    for path in Set(new.map(storePath)) {
      let store = try SystemCalls.open(path, flags: O_RDONLY | O_DIRECTORY, path: path)
      defer { close(store) }
      try SystemCalls.sync(store, path: path)
    }
    syncedShards.withLock { $0.formUnion(new.map(shardPath)) }
  }
}
