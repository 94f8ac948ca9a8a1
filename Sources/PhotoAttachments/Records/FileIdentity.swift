package import Glibc

/// Names a file's content without reading it: as long as nothing of this changes, the file is taken
/// for unchanged.
package struct FileIdentity: Sendable, Hashable {
  package var device: Int64
  package var inode: Int64
  /// Bytes.
  package var size: Int
  /// Nanoseconds since 1970, modulo 2^64: file systems keep times beyond 2262, which tell files apart
  /// as well as any.
  package var modified: Int64

  package init(device: Int64, inode: Int64, size: Int, modified: Int64) {
    self.device = device
    self.inode = inode
    self.size = size
    self.modified = modified
  }

  package init(_ status: stat) {
    self.init(
      device: Int64(bitPattern: UInt64(status.st_dev)),
      inode: Int64(bitPattern: UInt64(status.st_ino)), size: Int(status.st_size),
      modified: Self.nanoseconds(status.st_mtim))
  }

  /// Whether the file was written in the last two seconds and so may still be growing. A date from the
  /// future counts if a clock that is two seconds off could have given it.
  var isFresh: Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return (-2_000_000_000..<2_000_000_000).contains(Self.nanoseconds(now) &- modified)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
