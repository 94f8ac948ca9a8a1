package import Glibc
import Hashing

/// Direct system calls that throw `StoreError` with the `errno` of the failure. `path` is used only in messages. Calls
/// that name a file take the descriptor of its folder, to avoid following links.
package enum SystemCalls {
  /// Runs a system call and repeats it while a signal interrupts it. Throws the `errno` of any other failure.
  @discardableResult
  package static func check(
    _ operation: String, _ path: String, _ call: () -> Int
  ) throws(StoreError) -> Int {
    while true {
      let result = call()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw StoreError(operation: operation, path: path, errno: code) }
    }
  }

  /// Opens a file in a folder without following a link.
  package static func open(
    _ name: String, in folder: Int32 = AT_FDCWD, flags: Int32, mode: mode_t = 0, path: String
  ) throws(StoreError) -> Int32 {
    Int32(
      try check("open", path) { Int(openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW, mode)) })
  }

  /// Returns the status of a name in a folder. Never follows links. `nil` if the name does not exist.
  package static func status(
    _ name: String, in folder: Int32 = AT_FDCWD, path: String
  ) throws(StoreError) -> stat? {
    var status = stat()
    do throws(StoreError) {
      try check("stat", path) { Int(fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW)) }
    } catch {
      if [ENOENT, ENOTDIR].contains(error.systemErrno) { return nil }
      throw error
    }
    return status
  }

  /// Opens a nameless file in a folder for reading and writing. It disappears when its descriptor is closed. If the
  /// file system does not support nameless files, creates a file and unlinks it at once.
  package static func openNameless(in folder: String) throws(StoreError) -> Int32 {
    // Linux's O_TMPFILE. Swift does not import it because it is a macro that combines two others.
    let nameless = 0o20_000_000 | O_DIRECTORY
    let file = Glibc.open(folder, nameless | O_RDWR | O_CLOEXEC, 0o600)
    if file >= 0 { return file }
    guard errno == EOPNOTSUPP || errno == EISDIR else {
      throw StoreError(operation: "open", path: folder, errno: errno)
    }
    let name = "\(folder)/upload-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    let named = try open(name, flags: O_CREAT | O_EXCL | O_RDWR, mode: 0o600, path: folder)
    unlink(name)
    return named
  }

  /// Writes all bytes, repeating short writes.
  package static func write(_ bytes: [UInt8], to file: Int32, path: String) throws(StoreError) {
    var done = 0
    while done < bytes.count {
      let count = try check("write", path) {
        bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress! + done, $0.count - done) }
      }
      guard count > 0 else { throw StoreError(operation: "write", path: path, errno: EIO) }
      done += count
    }
  }

  /// Closes a file that was written. Linux frees the descriptor even if the call is interrupted, so there is no retry.
  /// Any other failure means that the bytes may not have arrived.
  package static func closeWritten(_ file: Int32, path: String) throws(StoreError) {
    if close(file) != 0, errno != EINTR {
      throw StoreError(operation: "close", path: path, errno: errno)
    }
  }

  /// Returns the size of a file system and the space that an ordinary user may still write, both in bytes. `nil` if it
  /// reports neither. Numbers that exceed `Int` are clamped. Blocks while a network file system hangs.
  package static func space(at path: String) -> (all: Int, free: Int)? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let size = UInt64(status.f_frsize)
    return (bytes(UInt64(status.f_blocks), of: size), bytes(UInt64(status.f_bavail), of: size))
  }

  static func bytes(_ blocks: UInt64, of size: UInt64) -> Int {
    let (product, isBeyond) = blocks.multipliedReportingOverflow(by: size)
    return isBeyond ? .max : Int(clamping: product)
  }

  /// Waits until a file's bytes or a folder's entries are on the disk.
  package static func sync(_ file: Int32, path: String) throws(StoreError) {
    try check("fsync", path) { Int(fsync(file)) }
  }
}

/// Returns `true` if a text consists of exactly this many lowercase hexadecimal digits.
package func isHexadecimal(_ text: some StringProtocol, digits: Int) -> Bool {
  text.utf8.count == digits
    && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
}

/// Returns a unique, unguessable name: 128 random bits as 32 lowercase hexadecimal digits.
package func randomName() -> String { randomBytes(16).hexadecimal }
