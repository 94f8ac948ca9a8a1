import Glibc
import Synchronization

/// Shows other processes that this process uses a cache folder, by a file in `database/` that stays locked for as long
/// as the process lives. The kernel releases the lock when the process ends for whatever reason. Process IDs and
/// `/proc` can't be used, because containers that share a volume each have their own.
///
/// `flock` also works over NFS since Linux 2.6.12. There it needs the lock daemon, as SQLite does.
final class ProcessLock: Sendable {
  /// 32 random hexadecimal digits, unique to this process and folder.
  let name: String
  private let descriptor: Int32
  private let path: String

  private struct Weak {
    weak var lock: ProcessLock?
  }

  /// The lock of each folder that this process uses, by the folder's path.
  private static let owned = Mutex<[String: Weak]>([:])

  /// Returns this process's lock in a folder and creates it if necessary. The lock is held while there are references
  /// to it.
  ///
  /// - Returns: `nil` if the file system doesn't support locks.
  /// - Throws: `StoreError.storage` or `.storageFull` if the file can't be created or locked.
  static func current(in folder: CacheFolder) throws(StoreError) -> ProcessLock? {
    let taken = owned.withLock { owned -> Result<ProcessLock?, StoreError> in
      // The file may have been deleted along with the whole folder. A lock on a deleted file protects nothing.
      if let lock = owned[folder.path]?.lock, lock.isInPlace { return .success(lock) }
      owned = owned.filter { $0.value.lock != nil }
      do throws(StoreError) {
        let lock = try ProcessLock(in: folder)
        owned[folder.path] = Weak(lock: lock)
        // Killed processes leave their lock files behind.
        try? removeDead(in: folder)
        return .success(lock)
      } catch {
        return .failure(error)
      }
    }
    return try taken.get()
  }

  /// Returns `true` if this process holds the lock of this name.
  static func isHeld(_ name: String, in folder: CacheFolder) -> Bool {
    owned.withLock { $0[folder.path]?.lock?.name == name }
  }

  private init?(in folder: CacheFolder) throws(StoreError) {
    var name = ""
    let file = try LockedFile.create(mode: 0o600) {
      name = randomName()
      return Self.path(of: name, in: folder)
    }
    // This is rare, because SQLite needs locks too.
    guard file.isLocked else {
      close(file.descriptor)
      unlink(file.path)
      return nil
    }
    self.name = name
    path = file.path
    descriptor = file.descriptor
  }

  deinit {
    unlink(path)
    close(descriptor)
  }

  private var isInPlace: Bool { LockedFile.isOpen(descriptor, at: path) }

  // MARK: - Other processes

  private static let prefix = "owner-"
  private static let suffix = ".lock"

  private static func path(of name: String, in folder: CacheFolder) -> String {
    folder.path + "/database/" + prefix + name + suffix
  }

  /// Returns `true` if the owner of this lock is alive. If that can't be determined, the owner counts as alive, so that
  /// its work isn't taken away.
  static func isAlive(_ name: String, in folder: CacheFolder) -> Bool {
    isAlive(name, in: folder) {}
  }

  /// Returns `true` if the owner of this lock is alive. Otherwise calls `end` while no one else can take the lock
  /// exclusively.
  private static func isAlive(
    _ name: String, in folder: CacheFolder, orElse end: () -> Void
  ) -> Bool {
    let path = path(of: name, in: folder)
    let file: Int32
    do throws(StoreError) {
      file = try SystemCalls.open(path, flags: O_RDWR | O_NONBLOCK, path: path)
    } catch {
      return error.systemErrno != ENOENT
    }
    defer { close(file) }
    // A pipe or a folder isn't a lock file, so it must not be deleted.
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
    // A shared lock, so that another process that checks at the same time doesn't take this one for the owner.
    guard flock(file, LOCK_SH | LOCK_NB) == 0 else { return true }
    end()
    return false
  }

  /// Deletes the lock files of processes that are gone. This may include a file that another process has created but
  /// not locked yet. That process waits for the lock, finds its file deleted, and creates another one.
  static func removeDead(in folder: CacheFolder) throws(StoreError) {
    for file in try folder.entries(of: "database")
    where file.hasPrefix(prefix) && file.hasSuffix(suffix) {
      let name = String(file.dropFirst(prefix.count).dropLast(suffix.count))
      guard isHexadecimal(name, digits: 32) else { continue }
      _ = isAlive(name, in: folder) { unlink(path(of: name, in: folder)) }
    }
  }
}
