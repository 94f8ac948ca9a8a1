import Glibc
package import PhotoIngestion

/// A file without a name in the cache's `incoming` folder, for the bytes of one upload. It is gone
/// with this object, with this process, and with the power.
///
/// Calls block.
///
/// `@unchecked` because one request owns it and asks it for one thing after the other, on whichever thread.
package final class SpoolFile: @unchecked Sendable {
  private let descriptor: Int32
  /// Linux's number, which Swift's Glibc does not carry: a macro of two.
  private static let nameless: Int32 = 0o20000000 | O_DIRECTORY
  /// Bytes that were written.
  package private(set) var count = 0

  /// Opens a new one.
  ///
  /// - Throws: `StoreError.storageFull`, `.storage`, `.photo(.shortage)`.
  package init(in folder: CacheFolder) throws {
    let path = folder.path + "/incoming"
    var file = open(path, Self.nameless | O_RDWR | O_CLOEXEC, 0o600)
    if file < 0, errno == EOPNOTSUPP || errno == EISDIR {
      // A file system without nameless files.
      let name = path + "/upload-\(getpid())-\(UInt64.random(in: 0 ... .max))"
      file = open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
      if file >= 0 { unlink(name) }
    }
    guard file >= 0 else { throw StoreError(operation: "open", path: path, errno: errno) }
    descriptor = file
  }

  deinit { Glibc.close(descriptor) }

  /// Adds bytes at the end.
  package func write(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { buffer in
      var done = 0
      while done < buffer.count {
        let written = Glibc.write(descriptor, buffer.baseAddress! + done, buffer.count - done)
        if written < 0, errno == EINTR { continue }
        guard written > 0 else {
          throw StoreError(operation: "write", path: "incoming", errno: errno)
        }
        done += written
      }
    }
    count += bytes.count
  }

  /// Another descriptor of the same file, which the caller closes.
  func duplicate() throws -> Int32 {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw StoreError(operation: "dup", path: "incoming", errno: errno) }
    return copy
  }

  /// It as the source of a photo, readable while this object lives.
  package func source(name: String?) -> PhotoSource {
    .file(path: "/proc/self/fd/\(descriptor)", name: name)
  }
}
