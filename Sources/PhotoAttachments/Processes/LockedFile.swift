import Glibc
import PhotoIngestion

/// A new file that stays locked while it is open. The lock shows other processes whether its creator still runs.
enum LockedFile {
  /// Creates a file and locks it exclusively.
  ///
  /// - Parameters:
  ///   - shownPath: the path for error messages. `nil` uses the file's own path.
  ///   - path: returns a new random path. It may be called more than once.
  /// - Returns: the open file, and `true` if it is locked. Some file systems don't support locks.
  static func create(
    mode: mode_t, shownPath: String? = nil, _ path: () -> String
  ) throws(StoreError) -> (descriptor: Int32, path: String, isLocked: Bool) {
    while true {
      let path = path()
      let shown = shownPath ?? path
      let file = try SystemCalls.open(
        path, flags: O_RDWR | O_CREAT | O_EXCL, mode: mode, path: shown)
      var isLocked = true
      do throws(StoreError) {
        try SystemCalls.check("lock", shown) { Int(flock(file, LOCK_EX)) }
      } catch {
        guard [ENOSYS, EOPNOTSUPP, EINVAL].contains(error.systemErrno) else {
          close(file)
          unlink(path)
          throw error
        }
        isLocked = false
      }
      // Another process may have found and deleted the file before it was locked. Then try again with a new name.
      if isOpen(file, at: path) { return (file, path, isLocked) }
      close(file)
    }
  }

  /// Returns `true` if `path` still names the open file. Doesn't follow links.
  static func isOpen(_ file: Int32, at path: String, in folder: Int32 = AT_FDCWD) -> Bool {
    var open = stat()
    var there = stat()
    return fstat(file, &open) == 0 && fstatat(folder, path, &there, AT_SYMLINK_NOFOLLOW) == 0
      && open.st_ino == there.st_ino && open.st_dev == there.st_dev
  }
}
