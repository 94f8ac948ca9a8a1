import Foundation
import Glibc
import PhotoIngestion

/// A copy that an export is writing. Until it is complete, it has a random name in the copy's folder and is locked.
///
/// If a file with such a name isn't locked, its export was killed. The next export into the folder deletes it.
final class ExportPart {
  private static let prefix = ".petspot-"
  private static let suffix = ".part"

  private let path: String
  /// The copy's path, for messages.
  private let target: String
  /// The open file, which keeps the lock.
  private let descriptor: Int32
  private var isNamed = true

  /// Creates an empty file.
  ///
  /// - Parameter target: the path of the copy, for messages.
  init(in folder: String, for target: String) throws(StoreError) {
    // A random name, because another export of the same photo may be running.
    let file = try LockedFile.create(mode: 0o644, shownPath: target) {
      folder + "/" + Self.prefix + UUID().uuidString + Self.suffix
    }
    path = file.path
    descriptor = file.descriptor
    self.target = target
  }

  deinit {
    if isNamed { unlink(path) }
    close(descriptor)
  }

  /// Writes the copy and renames it to its final name. Returns `false` if that name is taken.
  func finish(_ bytes: [UInt8], dated date: timespec) throws(StoreError) -> Bool {
    try SystemCalls.write(bytes, to: descriptor, path: target)
    _ = withUnsafePointer(to: (date, date)) {
      $0.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(descriptor, $0) }
    }
    // Network file systems report failed writes on close. The other descriptor keeps the lock.
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

  // MARK: - Files of killed exports

  private static func isOurs(_ name: String) -> Bool {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
    let id = String(name.dropFirst(prefix.count).dropLast(suffix.count))
    return UUID(uuidString: id)?.uuidString == id
  }

  /// Deletes files that killed exports left in a folder. Ignores errors, because a file that stays does no harm, and
  /// never deletes a file that it can't lock.
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
        flock(file, LOCK_EX | LOCK_NB) == 0, LockedFile.isOpen(file, at: name, in: folder)
      {
        unlinkat(folder, name, 0)
      }
    }
  }
}
