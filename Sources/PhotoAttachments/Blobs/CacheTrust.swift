import Glibc
import PhotoIngestion

/// Checks who may write to the cache. A user who can add files could make this process read, show and publish them. A
/// folder or catalog that other users control is therefore refused and left untouched.
extension CacheFolder {
  /// The names that may appear at the top level of a cache.
  private static let ownNames: Set<String> = [
    "incoming", "blobs", "previews", "sizes", "database", "quarantine", "crashes", "locks",
    "uploads", "newest",
  ]

  /// The reason why this folder would be refused. `nil` if it is acceptable or missing. Changes nothing.
  package var distrust: StoreError? {
    do throws(StoreError) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      try checkRoot(status, tightens: false)
      for name in ["incoming", "blobs", "previews", "sizes", "database"] {
        guard lstat(path + "/" + name, &status) == 0 else { continue }
        try Self.checkOwner(path + "/" + name, status)
      }
      for file in [catalog, catalog + "-journal"] where lstat(file, &status) == 0 {
        try Self.checkFile(file, status)
      }
      return nil
    } catch { return error }
  }

  /// Checks the cache folder itself. If other users may write to a folder of this user, removes their permission as
  /// long as the folder contains only a cache. A folder with other contents is refused because it may be shared on
  /// purpose.
  func checkRoot(_ status: stat, tightens: Bool = true) throws(StoreError) {
    try Self.checkOwner(path, status)
    guard Self.isLoose(status) else { return }
    guard try entries(of: ".").allSatisfy(Self.ownNames.contains) else {
      throw .unsafeCache(path: path, reason: .writableByOthers)
    }
    if tightens { try Self.tighten(path, to: status.st_mode & ~0o022) }
  }

  /// Checks a folder in the cache and removes all permissions of other users.
  static func checkInner(_ path: String, _ status: stat) throws(StoreError) {
    try checkOwner(path, status)
    if status.st_mode & 0o077 != 0 { try tighten(path, to: status.st_mode & 0o700) }
  }

  /// Creates the database file if it is missing. Checks that it is a regular file of this user, and removes the
  /// permissions of other users because the catalog contains names and telephone numbers.
  ///
  /// The file is never opened here. Closing any descriptor of a file releases all POSIX locks of the process on it
  /// (fcntl(2)), including SQLite's.
  package static func secure(_ database: String) throws(StoreError) {
    for file in [database, database + "-journal"] {
      var status = stat()
      if lstat(file, &status) != 0 {
        guard errno == ENOENT, file == database else { continue }
        // If the file cannot be created, SQLite fails too and reports the reason.
        guard mknod(file, S_IFREG | 0o600, 0) == 0 || errno == EEXIST,
          lstat(file, &status) == 0
        else { continue }
      }
      try checkFile(file, status)
      // Older versions made the file readable. If this fails, the folder still keeps other users out.
      if status.st_mode & 0o077 != 0 { chmod(file, status.st_mode & 0o600) }
    }
  }

  private static func checkFile(_ path: String, _ status: stat) throws(StoreError) {
    let kind = status.st_mode & S_IFMT
    if kind != S_IFREG, kind != S_IFDIR {  // SQLite reports a folder
      throw .unsafeCache(path: path, reason: .notAFile(kind: Receiver.kindName(of: kind)))
    }
    try checkOwner(path, status)
  }

  private static func checkOwner(_ path: String, _ status: stat) throws(StoreError) {
    guard status.st_uid != geteuid() else { return }
    throw .unsafeCache(path: path, reason: .owner(user: Int(status.st_uid)))
  }

  private static func isLoose(_ status: stat) -> Bool { status.st_mode & 0o022 != 0 }

  private static func tighten(_ path: String, to mode: mode_t) throws(StoreError) {
    var status = stat()
    // Some file systems accept the change and ignore it.
    guard chmod(path, mode & 0o7777) == 0, stat(path, &status) == 0, !isLoose(status) else {
      throw .unsafeCache(path: path, reason: .writableByOthers)
    }
  }
}
