public import Foundation
import Glibc
package import PhotoIngestion
import SystemPackage

/// The folder that contains everything: pictures in `blobs/`, `previews/`, `sizes/` and
/// `quarantine/`, records in `database/`, unfinished files in `incoming/` and `uploads/`, and
/// digests of photos that crashed a decoder in `crashes/`. Nothing outside it is ever deleted
/// (decision 10).
public struct CacheFolder: Sendable, Equatable {
  /// Absolute path without a slash at the end.
  public let path: String

  /// The folder at a path; a relative path counts from the working directory. Nothing is made yet.
  public init(path: String) {
    self.path = URL(fileURLWithPath: path).standardizedFileURL.path
  }

  /// `$XDG_CACHE_HOME/PetSpot/ReportMissingPet`, by default below `~/.cache`; a relative
  /// `XDG_CACHE_HOME` is ignored, as the XDG Base Directory Specification asks. On other systems
  /// the caches folder of the user (decision 10).
  public static func standard(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> CacheFolder {
    CacheFolder(path: userCaches(environment)[0] + "/PetSpot/ReportMissingPet")
  }

  /// The user's folders for caches, the one to use first.
  static func userCaches(_ environment: [String: String]) -> [String] {
    #if os(Linux)
      let home = environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
      let named = environment["XDG_CACHE_HOME"] ?? ""
      return (named.hasPrefix("/") ? [named] : []) + [home + "/.cache"]
    #else
      return [URL.cachesDirectory.path]
    #endif
  }

  /// Notes which records the pictures in this folder belong to, and refuses other records from then on. Two catalogs
  /// over one folder would each delete the pictures that only the other one refers to.
  ///
  /// - Parameter records: identifies the records.
  /// - Throws: `StoreError.database(.otherRecords)`; errors of reading and writing the note.
  package func claimPictures(for records: String) throws(StoreError) {
    let note = path + "/database/owner"
    let file = try SystemCalls.open(
      note, flags: O_RDWR | O_CREAT | O_NONBLOCK, mode: 0o600, path: note)
    defer { close(file) }
    // The lock lets only one of two processes claim a new folder. Some network file systems have no locks.
    while flock(file, LOCK_EX) != 0, errno == EINTR {}
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = try SystemCalls.check("read", note) { pread(file, &bytes, bytes.count, 0) }
    guard count > 0 else {
      try SystemCalls.write(Array(records.utf8), to: file, path: note)
      return try SystemCalls.sync(file, path: note)
    }
    if Array(bytes[..<count]) != Array(records.utf8) {
      throw .database(.otherRecords, detail: path)
    }
  }

  /// Where files lie that are not complete yet.
  package var incoming: String { path + "/incoming" }
  /// Which photos crashed a decoder.
  package var crashes: CrashLedger { CrashLedger(folder: FilePath(path).appending("crashes")) }
  /// The catalog's file.
  package var catalog: String { path + "/database/catalog.sqlite" }

  /// Whether any picture lies here already.
  package func hasPictures() throws(StoreError) -> Bool {
    for kind in BlobPath.Kind.ofRecords where try !entries(of: kind.rawValue).isEmpty {
      return true
    }
    return false
  }

  /// Names in a folder below this one, sorted; none when it is not a folder. Links are not followed.
  ///
  /// - Throws: `StoreError.storage` when it cannot be read: that is not the same as empty.
  package func entries(of folder: String) throws(StoreError) -> [String] {
    let path = path + "/" + folder
    let descriptor: Int32
    do throws(StoreError) {
      descriptor = try SystemCalls.open(path, flags: O_RDONLY | O_DIRECTORY, path: path)
    } catch {
      if [ENOENT, ENOTDIR, ELOOP].contains(error.systemErrno) { return [] }
      throw error
    }
    defer { close(descriptor) }
    guard let names = FolderNames(of: descriptor) else {
      throw StoreError(operation: "readdir", path: path, errno: errno)
    }
    return (0..<names.count).map { String(decoding: names[$0], as: UTF8.self) }.sorted()
  }

  /// Makes what is missing, for this user alone (mode 0700), and makes sure that we may read and
  /// write.
  ///
  /// - Throws: `StoreError.cacheUnavailable` when a path is a file or a link, the file system is
  ///   read-only, or permission is missing; `.unsafeCache` when others control it; `.shortage`.
  package func make() throws(StoreError) {
    var parent = ""
    for part in path.split(separator: "/") {
      parent += "/" + part
      if mkdir(parent, 0o700) != 0, errno != EEXIST {
        // A parent we may not write to can still exist.
        let code = errno
        var status = stat()
        guard stat(parent, &status) == 0 else { throw unavailable(parent, code) }
      }
    }
    var status = stat()
    guard stat(path, &status) == 0 else { throw unavailable(path, errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw unavailable(path, ENOTDIR) }
    try checkRoot(status)
    try checkWritable(path)
    for name in ["incoming", "blobs", "previews", "sizes", "database"] {
      let folder = path + "/" + name
      if mkdir(folder, 0o700) != 0, errno != EEXIST { throw unavailable(folder, errno) }
      // A link here would lead deletions out of the cache.
      guard lstat(folder, &status) == 0 else { throw unavailable(folder, errno) }
      guard status.st_mode & S_IFMT == S_IFDIR else { throw unavailable(folder, ENOTDIR) }
      try Self.checkInner(folder, status)
      try checkWritable(folder)
    }
    try syncNewFolders()
  }

  /// Makes the folders' names last. A process that made one may have died before its own sync, so all are
  /// synced, up to the root, as long as there is no catalog: before it nothing was promised.
  private func syncNewFolders() throws(StoreError) {
    var status = stat()
    if lstat(catalog, &status) == 0 { return }
    var folder = path
    while !folder.isEmpty {
      let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      if descriptor >= 0 {
        defer { close(descriptor) }
        do throws(StoreError) {
          try SystemCalls.sync(descriptor, path: folder)
        } catch {
          // Above the cache there may be file systems that know no sync, or are read-only.
          guard folder != path, [EINVAL, EROFS].contains(error.systemErrno) else { throw error }
        }
      } else if errno != EACCES {
        // A folder that we may not read is none that we made.
        throw unavailable(folder, errno)
      }
      folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
    }
  }

  private func checkWritable(_ folder: String) throws(StoreError) {
    guard access(folder, R_OK | W_OK | X_OK) == 0 else { throw unavailable(folder, errno) }
  }

  private func unavailable(_ path: String, _ code: Int32) -> StoreError {
    switch code {
    case ENOSPC, EDQUOT: .storageFull(operation: "mkdir", path: path, errno: code)
    default:
      PhotoError(shortage: code).map(StoreError.photo) ?? .cacheUnavailable(path: path, errno: code)
    }
  }
}
