import Glibc
import PhotoIngestion

/// Who may write into the cache. A user who can put files there can have this process read, show and publish
/// them, so a folder or catalog that others control is refused and nothing in it is touched.
extension CacheFolder {
  /// What a cache may hold at its top.
  private static let ownNames: Set<String> = [
    "incoming", "blobs", "previews", "sizes", "database", "quarantine", "crashes", "locks",
    "uploads", "newest",
  ]

  /// Why this folder, as it lies there, would be refused; nil when it would not, or is missing.
  /// Changes nothing.
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

  /// Checks the cache folder itself. One of this user that others may write to is closed to them when it
  /// holds nothing but a cache; one that holds other things may be shared on purpose and is refused.
  func checkRoot(_ status: stat, tightens: Bool = true) throws(StoreError) {
    try Self.checkOwner(path, status)
    guard Self.isLoose(status) else { return }
    guard try entries(of: ".").allSatisfy(Self.ownNames.contains) else {
      throw .unsafeCache(path: path, reason: .writableByOthers)
    }
    if tightens { try Self.tighten(path, to: status.st_mode & ~0o022) }
  }

  /// Checks a folder in the cache and closes it to everybody else.
  static func checkInner(_ path: String, _ status: stat) throws(StoreError) {
    try checkOwner(path, status)
    if status.st_mode & 0o077 != 0 { try tighten(path, to: status.st_mode & 0o700) }
  }

  /// Makes a database's file when it is missing, and sees to it that it is a file of this user that
  /// no other user reads: the catalog holds names and telephone numbers.
  ///
  /// It is never opened here: closing any descriptor of a file ends all of the process's POSIX locks
  /// on it (fcntl(2)), and with them SQLite's.
  package static func secure(_ database: String) throws(StoreError) {
    for file in [database, database + "-journal"] {
      var status = stat()
      if lstat(file, &status) != 0 {
        guard errno == ENOENT, file == database else { continue }
        // What keeps it from being made, SQLite finds too and reports.
        guard mknod(file, S_IFREG | 0o600, 0) == 0 || errno == EEXIST,
          lstat(file, &status) == 0
        else { continue }
      }
      try checkFile(file, status)
      // Older versions made it readable. Where this fails, the folder still keeps others out.
      if status.st_mode & 0o077 != 0 { chmod(file, status.st_mode & 0o600) }
    }
  }

  private static func checkFile(_ path: String, _ status: stat) throws(StoreError) {
    let kind = status.st_mode & S_IFMT
    if kind != S_IFREG, kind != S_IFDIR {  // SQLite reports a folder
      throw .unsafeCache(path: path, reason: .notAFile(kind: Receiver.word(for: kind)))
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
    // Some file systems take the change and ignore it.
    guard chmod(path, mode & 0o7777) == 0, stat(path, &status) == 0, !isLoose(status) else {
      throw .unsafeCache(path: path, reason: .writableByOthers)
    }
  }
}
