import CDispatch  // where this module finds `stat`
import Glibc

extension UploadFolder {
  /// Repeats while a signal interrupts; throws with the errno of the first other failure.
  @discardableResult
  package static func check(_ operation: String, _ call: () -> Int) throws(UploadError) -> Int {
    while true {
      let result = call()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw UploadError(operation, errno: code) }
    }
  }

  /// Writes bytes at a place of a file.
  ///
  /// - Parameter done: how many were written, also after a failure.
  package static func write(
    _ bytes: [UInt8], to file: Int32, at offset: Int, done: inout Int
  ) throws(UploadError) {
    done = 0
    while done < bytes.count {
      let start = done
      let count = try check("write") {
        bytes.withUnsafeBytes {
          pwrite(file, $0.baseAddress! + start, $0.count - start, off_t(offset + start))
        }
      }
      guard count > 0 else { throw UploadError("write", errno: EIO) }
      done += count
    }
  }

  /// Reads a file from its beginning.
  static func read(_ file: Int32, count: Int) throws(UploadError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let start = done
      let got = try check("read") {
        bytes.withUnsafeMutableBytes {
          pread(file, $0.baseAddress! + start, count - start, off_t(start))
        }
      }
      // A read that ends early says nothing about the file.
      guard got > 0 else { throw UploadError("read", errno: EIO) }
      done += got
    }
    return bytes
  }

  /// An open file's size in bytes.
  package static func size(of file: Int32) throws(UploadError) -> Int {
    var status = stat()
    try check("stat") { Int(fstat(file, &status)) }
    return Int(status.st_size)
  }

  /// Opens a regular file; nil when there is none, be it that a link or a FIFO has its name.
  static func opened(_ path: String, _ flags: Int32) throws(UploadError) -> Int32? {
    let file = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if [ENOENT, ELOOP, ENXIO, EISDIR].contains(errno) { return nil }
      throw UploadError("open", errno: errno)
    }
    var status = stat()
    // A look that fails is no answer: a client would begin anew what is reported as gone.
    let isSeen = fstat(file, &status) == 0
    let code = errno
    if isSeen, status.st_mode & S_IFMT == S_IFREG { return file }
    close(file)
    guard isSeen else { throw UploadError("stat", errno: code) }
    return nil
  }

  /// Works with an open folder.
  static func within(
    _ path: String, _ work: (Int32) throws(UploadError) -> Void
  ) throws(UploadError) {
    let folder = Int32(
      try check("open") { Int(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)) })
    defer { close(folder) }
    try work(folder)
  }
}
