import Glibc
import Synchronization

/// Shows all others at a cache folder that this process works there: a file in `database/` that it
/// keeps locked for as long as it lives. Whether an owner lives is asked of the kernel, which lets go
/// of the lock when the process ends, however it does. Process numbers and `/proc` say nothing where
/// containers share a volume: each has its own.
///
/// `flock` also works over NFS from Linux 2.6.12 on (there it needs the lock daemon, as SQLite does).
final class ProcessLock: Sendable {
  /// 32 hexadecimal digits that no other process has.
  let name: String
  private let descriptor: Int32
  private let path: String

  private struct Weak {
    weak var lock: ProcessLock?
  }

  /// One lock for all that this process does in a folder, by the folder's path.
  private static let owned = Mutex<[String: Weak]>([:])

  /// This process's lock in a folder, taken when there is none yet. It lasts as long as there are references to
  /// it.
  ///
  /// - Returns: nil on a file system that knows no locks.
  /// - Throws: `StoreError.storage` or `.storageFull` when the file cannot be made or locked.
  static func current(in folder: CacheFolder) throws(StoreError) -> ProcessLock? {
    let taken = owned.withLock { owned -> Result<ProcessLock?, StoreError> in
      // The file may be gone, with the whole folder; then a lock on it means nothing.
      if let lock = owned[folder.path]?.lock, lock.isInPlace { return .success(lock) }
      owned = owned.filter { $0.value.lock != nil }
      do throws(StoreError) {
        let lock = try ProcessLock(in: folder)
        owned[folder.path] = Weak(lock: lock)
        // Processes that were killed left their lock files behind.
        try? removeDead(in: folder)
        return .success(lock)
      } catch {
        return .failure(error)
      }
    }
    return try taken.get()
  }

  /// Whether this process holds the lock of this name.
  static func isHeld(_ name: String, in folder: CacheFolder) -> Bool {
    owned.withLock { $0[folder.path]?.lock?.name == name }
  }

  private init?(in folder: CacheFolder) throws(StoreError) {
    var name = ""
    let file = try LockedFile.create(mode: 0o600) {
      name = randomName()
      return Self.path(of: name, in: folder)
    }
    // SQLite needs locks, too.
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

  /// Whether the owner of this name lives. When that is unknown, it does: its work must not be taken
  /// away.
  static func isAlive(_ name: String, in folder: CacheFolder) -> Bool {
    isAlive(name, in: folder) {}
  }

  /// Whether the owner of this name lives; runs `end` when it is gone, while its lock can't be taken.
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
    // What is no file is nobody's lock, and not ours to delete.
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return true }
    // Shared, so that a process that asks is not taken for an owner.
    guard flock(file, LOCK_SH | LOCK_NB) == 0 else { return true }
    end()
    return false
  }

  /// Deletes the lock files of processes that are gone. One that is made at this moment may be among
  /// them; its maker waits until this process lets go of it, sees that it is gone, and makes another.
  static func removeDead(in folder: CacheFolder) throws(StoreError) {
    for file in try folder.entries(of: "database")
    where file.hasPrefix(prefix) && file.hasSuffix(suffix) {
      let name = String(file.dropFirst(prefix.count).dropLast(suffix.count))
      guard isHexadecimal(name, digits: 32) else { continue }
      _ = isAlive(name, in: folder) { unlink(path(of: name, in: folder)) }
    }
  }
}
