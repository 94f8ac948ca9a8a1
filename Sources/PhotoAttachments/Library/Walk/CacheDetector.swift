import Glibc

/// Identifies a folder by device and inode, by whatever path it is reached.
struct FolderID: Hashable {
  var device: UInt64
  var inode: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

/// Recognizes folders and files of photo caches among folders of photos. Nothing in a cache is a source. Otherwise an
/// import that deletes its sources would destroy the store.
enum CacheDetector {
  /// Returns `true` if a folder contains what a cache contains: `blobs`, `previews`, and `database` or `incoming`.
  static func isCache(_ folder: Int32) -> Bool {
    // The first check is enough for nearly every folder.
    isFolder("blobs", in: folder) && isFolder("previews", in: folder)
      && (isFolder("database", in: folder) || isFolder("incoming", in: folder))
  }

  /// Returns `true` if a file has the name of a stored picture (`BlobPath`) or of a quarantined one. This recognizes
  /// pictures even if no parent folder looks like a cache, as below a bind mount of `blobs`.
  static func isStored(_ name: [UInt8]) -> Bool {
    let parts = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    let text = String(decoding: name, as: UTF8.self)
    return BlobPath(.blob, shard: "00", name: text) != nil || BlobPath(quarantined: text) != nil
  }

  /// Returns the IDs of this cache's folders, including the shards.
  ///
  /// - Throws: `StoreError.storage` if one can't be listed. Its pictures could be taken for sources.
  static func folders(of cache: CacheFolder) throws(StoreError) -> Set<FolderID> {
    var found: Set<FolderID> = []
    func add(_ path: String) {
      var status = stat()
      if stat(path, &status) == 0 { found.insert(FolderID(status)) }
    }
    add(cache.path)
    for name in try cache.entries(of: ".") where isFolder(cache.path + "/" + name) {
      add(cache.path + "/" + name)
      guard BlobPath.Kind(rawValue: name) != nil else { continue }
      for shard in try cache.entries(of: name) {
        add(cache.path + "/" + name + "/" + shard)
      }
    }
    return found
  }

  private static func isFolder(_ name: String, in folder: Int32 = AT_FDCWD) -> Bool {
    var status = stat()
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      && status.st_mode & S_IFMT == S_IFDIR
  }
}
