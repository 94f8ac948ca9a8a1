package import Glibc

/// Identifies the content of a file without reading it. While these values are equal, the file counts as unchanged.
package struct FileIdentity: Sendable, Hashable {
  package var device: Int64
  package var inode: Int64
  /// The size in bytes.
  package var size: Int
  /// Nanoseconds since 1970, modulo 2^64 because file systems support times beyond 2262. The wrapped values distinguish
  /// files just as well.
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

  /// `true` if the file was written in the last two seconds and may therefore still be growing. A time less than two
  /// seconds in the future counts as well, because clocks may differ that much.
  var isFresh: Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return (-2_000_000_000..<2_000_000_000).contains(Self.nanoseconds(now) &- modified)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
