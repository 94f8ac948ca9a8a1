public import Foundation
import Glibc
package import PhotoIngestion
import SystemPackage

/// The folder that contains everything: pictures in `blobs/`, `previews/`, `sizes/` and `quarantine/`, records in
/// `database/`, unfinished files in `incoming/` and `uploads/`, and digests of photos that crashed a decoder in
/// `crashes/`. Sweeps, verification and repairs delete nothing outside it (decision 10). An import deletes
/// originals only if it is asked to.
public struct CacheFolder: Sendable, Equatable {
  /// The absolute path without a trailing slash.
  public let path: String

  /// Creates a value for the folder at a path. A relative path is resolved against the working directory. Does not
  /// create the folder.
  public init(path: String) {
    self.path = URL(fileURLWithPath: path).standardizedFileURL.path
  }

  /// Returns a value for the folder at a path, as `init(path:)` does.
  public static func folder(_ path: String) -> CacheFolder { CacheFolder(path: path) }

  /// Returns `$XDG_CACHE_HOME/PetSpot/ReportMissingPet`, with `~/.cache` as the default for `XDG_CACHE_HOME`. A
  /// relative `XDG_CACHE_HOME` is ignored, as the XDG Base Directory Specification requires. On other systems, uses the
  /// user's caches folder (decision 10).
  public static func standard(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> CacheFolder {
    CacheFolder(path: userCaches(environment)[0] + "/PetSpot/ReportMissingPet")
  }

  /// Returns the user's cache folders, the preferred one first.
  static func userCaches(_ environment: [String: String]) -> [String] {
    #if os(Linux)
      let home = environment["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path
      let named = environment["XDG_CACHE_HOME"] ?? ""
      return (named.hasPrefix("/") ? [named] : []) + [home + "/.cache"]
    #else
      return [URL.cachesDirectory.path]
    #endif
  }

  /// Saves which records the pictures in this folder belong to, and refuses other records from then on. Two catalogs
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

  package var incoming: String { path + "/incoming" }
  /// The ledger of photos that crashed a decoder.
  package var crashes: CrashLedger { CrashLedger(folder: FilePath(path).appending("crashes")) }
  /// The path of the catalog's database file.
  package var catalog: String { path + "/database/catalog.sqlite" }

  /// Returns `true` if the folder already contains a picture.
  package func hasPictures() throws(StoreError) -> Bool {
    for kind in BlobPath.Kind.ofRecords where try !entries(of: kind.rawValue).isEmpty {
      return true
    }
    return false
  }

  /// Returns the sorted names in a subfolder. Empty if it is missing, a link or not a folder.
  ///
  /// - Throws: `StoreError.storage` if the folder cannot be read, so that an unreadable folder never looks empty.
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

  /// Creates missing folders with mode 0700 and checks that this process may read and write them.
  ///
  /// - Throws: `StoreError.cacheUnavailable` if a path is a file or a link, the file system is read-only, or permission
  ///   is missing; `.unsafeCache` if other users control the folder; `.shortage`.
  package func make() throws(StoreError) {
    var parent = ""
    for part in path.split(separator: "/") {
      parent += "/" + part
      if mkdir(parent, 0o700) != 0, errno != EEXIST {
        // Even a parent that this user may not write to can exist.
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
      // Deletions would follow a link out of the cache.
      guard lstat(folder, &status) == 0 else { throw unavailable(folder, errno) }
      guard status.st_mode & S_IFMT == S_IFDIR else { throw unavailable(folder, ENOTDIR) }
      try Self.checkInner(folder, status)
      try checkWritable(folder)
    }
    try syncNewFolders()
  }

  /// Syncs the folders up to the root so that their names are durable. A process that created one may have died before
  /// its own sync, so all are synced until a catalog exists. Before that, no data has been promised to last.
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
          // Above the cache, file systems may be read-only or not support sync.
          guard folder != path, [EINVAL, EROFS].contains(error.systemErrno) else { throw error }
        }
      } else if errno != EACCES {
        // This process cannot have created a folder that it may not read.
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
