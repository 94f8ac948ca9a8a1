import Glibc

/// An open file that a photo is read from, whatever becomes of its name. It stays open as long as this object
/// exists, so a number that was closed and given to another file is never read.
public final class PhotoFile: Sendable {
  /// Its descriptor, to be read by position only.
  package let descriptor: Int32

  /// Opens the file behind a descriptor once more, with a position and locks of its own.
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

  /// How large it is; 0 when that is not known.
  package var sizeBytes: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }
}
