import CDispatch  // this module declares `stat`
import Glibc

extension UploadFolder {
  /// Runs a system call and repeats it while a signal interrupts it. Throws the `errno` of any other failure.
  @discardableResult
  package static func check(_ operation: String, _ call: () -> Int) throws(UploadError) -> Int {
    while true {
      let result = call()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw UploadError(operation, errno: code) }
    }
  }

  /// Writes bytes to a file at an offset.
  ///
  /// - Parameter done: the number of bytes written, also after a failure.
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

  /// Reads `count` bytes from the beginning of a file.
  static func readBytes(_ file: Int32, count: Int) throws(UploadError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let start = done
      let got = try check("read") {
        bytes.withUnsafeMutableBytes {
          pread(file, $0.baseAddress! + start, count - start, off_t(start))
        }
      }
      // A short read is an I/O error. It does not show that the file is damaged.
      guard got > 0 else { throw UploadError("read", errno: EIO) }
      done += got
    }
    return bytes
  }

  /// Returns the size of an open file in bytes.
  package static func size(of file: Int32) throws(UploadError) -> Int {
    var status = stat()
    try check("stat") { Int(fstat(file, &status)) }
    return Int(status.st_size)
  }

  /// Opens a regular file. `nil` if no regular file exists there, for example because the path is a link or a FIFO.
  static func openRegular(_ path: String, _ flags: Int32) throws(UploadError) -> Int32? {
    let file = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if [ENOENT, ELOOP, ENXIO, EISDIR].contains(errno) { return nil }
      throw UploadError("open", errno: errno)
    }
    var status = stat()
    // If `fstat` fails, throw rather than report a missing file, because the client would start over.
    let isSeen = fstat(file, &status) == 0
    let code = errno
    if isSeen, status.st_mode & S_IFMT == S_IFREG { return file }
    close(file)
    guard isSeen else { throw UploadError("stat", errno: code) }
    return nil
  }

  /// Opens a folder for the duration of a closure.
  static func within(
    _ path: String, _ work: (Int32) throws(UploadError) -> Void
  ) throws(UploadError) {
    let folder = Int32(
      try check("open") { Int(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)) })
    defer { close(folder) }
    try work(folder)
  }
}
