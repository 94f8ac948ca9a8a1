import Glibc
import PhotoIngestion

/// The way to open a file that the walk found: by name in its folder, by the handle of a link's target, or by key in an
/// object store. A process that moves files meanwhile can't redirect any of these.
enum FileAccess: Sendable {
  case name([UInt8], in: OpenFolder)
  case target(OpenPath)
  case object(ObjectFetch)

  /// Opens the file.
  ///
  /// - Throws: `PhotoError.unreadable`, also if it has been replaced by another file.
  func open(_ file: FoundFile) throws(PhotoError) -> OpenFile {
    let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC
    let descriptor =
      switch self {
      case .name(let name, let folder):
        folder.open(name)
      case .target(let target): Glibc.open(target.reopenPath, flags)
      case .object: throw .fault(.unexpected)
      }
    guard descriptor >= 0 else { throw .unreadable(.system(errno: errno)) }
    let open = OpenFile(descriptor)
    guard let status = open.status(), status.st_mode & S_IFMT == S_IFREG,
      FileIdentity(status) == file.identity
    else { throw .unreadable(.changed) }
    return open
  }
}

/// A folder that stays open as long as this object exists.
final class OpenFolder: Sendable {
  let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Returns the status of an entry without following a link. Returns `nil` and sets `errno` on failure.
  func status(of name: [UInt8]) -> stat? {
    var status = stat()
    let code = name.withPath { fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) }
    return code == 0 ? status : nil
  }

  /// Opens an entry without blocking and without following a link. Returns -1 and sets `errno` on failure.
  func open(_ name: [UInt8], _ flags: Int32 = O_RDONLY) -> Int32 {
    name.withPath { openat(descriptor, $0, flags | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0o600) }
  }
}

/// A handle of whatever is at a path, without opening it. FIFOs and devices don't notice.
final class OpenPath: Sendable {
  /// `O_PATH`, which the C library exposes to GNU sources only.
  static let flag: Int32 = 0o10_000_000

  private let descriptor: Int32
  let status: stat

  init?(_ name: [UInt8], in folder: Int32) {
    let descriptor = name.withPath { openat(folder, $0, OpenPath.flag | O_CLOEXEC) }
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    self.status = status
  }

  deinit { close(descriptor) }

  /// `true` if this is a folder that looks like a cache.
  var isCache: Bool { CacheDetector.isCache(descriptor) }

  /// A path that opens exactly this file or folder.
  var reopenPath: String { "/proc/self/fd/\(descriptor)" }

  /// The absolute path without links.
  var realPath: [UInt8]? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(reopenPath, &buffer, buffer.count)
    return count > 0 ? buffer[..<count].map { UInt8(bitPattern: $0) } : nil
  }
}
