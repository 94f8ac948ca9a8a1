import Glibc
import ImageContainers
package import PhotoAttachments
import PhotoIngestion

/// Damaged pictures, and what was left behind.
extension FolderStorage {
  /// Moves a damaged file out of the store, so that it is never served and another picture of its
  /// name is stored anew. Nothing is overwritten or deleted. Call it in a write transaction, after a
  /// look in the same transaction.
  ///
  /// - Parameters:
  ///   - identity: the file that was looked at; another one that took its place stays.
  ///   - holds: digest of its bytes, nil when they cannot be read.
  /// - Returns: its new path below the cache folder; nil when another file took its place, or none.
  package func putAside(
    _ place: BlobPath, _ identity: FileIdentity, problem: StoreProblem, holds: String?
  ) throws(StoreError) -> String? {
    let target = try quarantineFolder()
    defer { close(target) }
    let random = String(UInt64.random(in: .min ... .max), radix: 16)
    let name =
      "\(QuarantinedFile.origin(place))-\(problem.rawValue)-\(holds ?? "unread")-\(time(nil))-"
      + random + "." + place.format.fileExtensions[0]
    let path = absolute(place)
    var isOurs = false
    try withShard(place, make: false) { shard throws(StoreError) in
      do throws(StoreError) {
        try SystemCalls.check("rename", path) { Int(renameat(shard, place.name, target, name)) }
      } catch {
        if error.systemErrno == ENOENT { return }
        throw error
      }
      var moved = stat()
      isOurs =
        fstatat(target, name, &moved, AT_SYMLINK_NOFOLLOW) == 0
        && moved.st_ino == UInt64(bitPattern: identity.inode)
      if !isOurs {
        // Somebody stored the picture anew in between.
        try SystemCalls.check("rename", path) { Int(renameat(target, name, shard, place.name)) }
      }
      try SystemCalls.sync(folder: target, path: folder.path + "/quarantine")
      try SystemCalls.sync(folder: shard, path: path)
    }
    return isOurs ? "quarantine/" + name : nil
  }

  /// Which file lies under a picture's name, links not followed.
  package func identity(_ place: BlobPath) -> FileIdentity? {
    var status = stat()
    return lstat(absolute(place), &status) == 0 ? FileIdentity(status) : nil
  }

  /// What lies in quarantine.
  package func quarantined() throws(StoreError) -> [QuarantinedFile] {
    try folder.entries(of: "quarantine").compactMap(QuarantinedFile.init(name:))
  }

  /// The bytes of a quarantined file, nil unless they have this digest.
  package func read(_ file: QuarantinedFile, sha256 digest: String) -> [UInt8]? {
    let path = folder.path + "/" + file.path
    guard let descriptor = try? SystemCalls.open(path, flags: O_RDONLY | O_NONBLOCK, path: path)
    else { return nil }
    defer { close(descriptor) }
    let bytes = try? SystemCalls.readAll(from: descriptor, path: path)
    return bytes.flatMap { sha256(of: $0) == digest ? $0 : nil }
  }

  private func quarantineFolder() throws(StoreError) -> Int32 {
    let path = folder.path + "/quarantine"
    if mkdir(path, 0o700) == 0 {
      let parent = try SystemCalls.open(
        folder.path, flags: O_RDONLY | O_DIRECTORY, path: folder.path)
      defer { close(parent) }
      try SystemCalls.sync(folder: parent, path: folder.path)
    } else if errno != EEXIST {
      throw StoreError(operation: "mkdir", path: path, errno: errno)
    }
    return try SystemCalls.open(path, flags: O_RDONLY | O_DIRECTORY, path: path)
  }

  /// Deletes files of `incoming/` that no living process works on, and the locks of those that are
  /// gone. A name without an owner counts as nobody's once it is old.
  package func removeUnfinished(
    of shard: StoreShard, dryRun: Bool, isOld: (Int) -> Bool
  ) throws(StoreError) -> (files: Int, bytes: Int) {
    guard shard.isFirst else { return (0, 0) }
    var removed = (files: 0, bytes: 0)
    for name in try folder.entries(of: "incoming") {
      let path = folder.incoming + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { continue }
      if let owner = Owner(fileName: name) {
        if owner.isAlive(in: folder) { continue }
      } else if !isOld(status.st_mtim.tv_sec) {
        continue
      }
      if !dryRun, unlink(path) != 0 {
        if errno == ENOENT { continue }
        throw StoreError(operation: "unlink", path: path, errno: errno)
      }
      removed.files += 1
      removed.bytes += Int(status.st_size)
    }
    if !dryRun { try OwnerLock.removeDead(in: folder) }
    return removed
  }
}
