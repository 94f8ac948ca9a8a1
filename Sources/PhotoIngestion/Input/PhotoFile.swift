import Glibc

/// An open file that a photo is read from, independent of its name. It stays open as long as this object exists, so its
/// descriptor can never refer to another file.
public final class PhotoFile: Sendable {
  /// The descriptor. Read it only by position.
  package let descriptor: Int32

  /// Opens the file behind a descriptor again, with its own position and locks.
  ///
  /// - Throws: `PhotoError.unreadable`, `.shortage`.
  public init(reopening descriptor: Int32) throws(PhotoError) {
    self.descriptor = open("/proc/self/fd/\(descriptor)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard self.descriptor >= 0 else {
      let code = errno
      throw PhotoError(shortage: code) ?? .unreadable(.system(errno: code))
    }
  }

  deinit { close(descriptor) }

  /// The size in bytes. 0 if it is unknown.
  package var sizeBytes: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }
}
