import Foundation
import Glibc
import PhotoIngestion

/// A copy that an export writes, under a random name in the copy's folder until it is complete.
///
/// It is locked until then. One that nobody has locked was left by an export that was killed, and the next export
/// into the folder deletes it.
final class ExportPart {
  private static let prefix = ".petspot-"
  private static let suffix = ".part"

  private let path: String
  /// For messages: the copy's path.
  private let target: String
  /// Keeps the lock when the file is closed.
  private let descriptor: Int32
  private var isNamed = true

  /// Makes an empty file.
  ///
  /// - Parameter target: the path of the copy, for messages.
  init(in folder: String, for target: String) throws(StoreError) {
    while true {
      // Random, because another export of the same photo may run.
      let path = folder + "/" + Self.prefix + UUID().uuidString + Self.suffix
      let file = try SystemCalls.open(
        path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o644, path: target)
      do throws(StoreError) {
        try Self.lock(file, path: target)
      } catch {
        close(file)
        unlink(path)
        throw error
      }
      // Another export may have found it before it was locked, and deleted it.
      if Self.lies(file, at: path) {
        self.path = path
        self.target = target
        descriptor = file
        return
      }
      close(file)
    }
  }

  deinit {
    if isNamed { unlink(path) }
    close(descriptor)
  }

  /// Writes the copy and gives it its name; false if the name is taken.
  func finish(_ bytes: [UInt8], dated date: timespec) throws(StoreError) -> Bool {
    try SystemCalls.write(bytes, to: descriptor, path: target)
    _ = withUnsafePointer(to: (date, date)) {
      $0.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(descriptor, $0) }
    }
    // Network file systems report failed writes when a file is closed. The lock lasts until the last close.
    let copy = Int32(try SystemCalls.check("close", target) { Int(dup(descriptor)) })
    try SystemCalls.closeWritten(copy, path: target)
    let code = ExclusiveRename.rename(path, from: AT_FDCWD, target, to: AT_FDCWD)
    if code == 0 {
      isNamed = false
      return true
    }
    guard code == EEXIST else { throw StoreError(operation: "rename", path: target, errno: code) }
    return false
  }

  /// File systems without locks are none on which a file is ever deleted as left behind.
  private static func lock(_ file: Int32, path: String) throws(StoreError) {
    do throws(StoreError) {
      try SystemCalls.check("lock", path) { Int(flock(file, LOCK_EX)) }
    } catch {
      guard [ENOSYS, EOPNOTSUPP, EINVAL].contains(error.systemErrno) else { throw error }
    }
  }

  private static func lies(_ file: Int32, at path: String, in folder: Int32 = AT_FDCWD) -> Bool {
    var open = stat()
    var there = stat()
    return fstat(file, &open) == 0 && fstatat(folder, path, &there, AT_SYMLINK_NOFOLLOW) == 0
      && open.st_ino == there.st_ino && open.st_dev == there.st_dev
  }

  // MARK: - Files of killed exports

  private static func isOurs(_ name: String) -> Bool {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
    let id = String(name.dropFirst(prefix.count).dropLast(suffix.count))
    return UUID(uuidString: id)?.uuidString == id
  }

  /// Deletes files that killed exports left in a folder. What can't be read, locked or deleted stays: it is only
  /// superfluous.
  static func removeAbandoned(in path: String) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    defer { close(folder) }
    guard let names = FolderNames(of: folder) else { return }
    for index in 0..<names.count {
      let name = String(decoding: names[index], as: UTF8.self)
      guard isOurs(name) else { continue }
      let file = openat(folder, name, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
      guard file >= 0 else { continue }
      defer { close(file) }
      var status = stat()
      if fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        flock(file, LOCK_EX | LOCK_NB) == 0, lies(file, at: name, in: folder)
      {
        unlinkat(folder, name, 0)
      }
    }
  }
}
