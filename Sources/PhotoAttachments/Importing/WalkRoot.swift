import Glibc
import SystemPackage

/// A path that the person gave, and where it leads.
struct WalkRoot {
  /// Without slashes at its end.
  var given: [UInt8]
  /// Absolute and without links; as given when it leads nowhere.
  var real: [UInt8]
  var status: stat
  /// The `errno` of looking at it.
  var failure: Int32?
  var throughLink: Bool

  private init(_ path: FilePath) {
    given = path.rawBytes
    while given.count > 1, given.last == UInt8(ascii: "/") { given.removeLast() }
    real = given
    status = stat()
    var link = stat()
    throughLink =
      given.withPath { lstat($0, &link) } == 0 && link.st_mode & S_IFMT == S_IFLNK
    let found = given.withPath { realpath($0, nil) }
    if let found {
      defer { free(found) }
      real = UnsafeBufferPointer(start: found, count: strlen(found)).map {
        UInt8(bitPattern: $0)
      }
      if stat(found, &status) != 0 { failure = errno }
    } else {
      failure = errno
    }
  }

  /// The paths, without those that another one contains.
  static func distinct(_ paths: [FilePath]) -> [WalkRoot] {
    let roots = paths.map(WalkRoot.init)
    return roots.enumerated().filter { index, root in
      !roots.enumerated().contains { otherIndex, other in
        if other.failure != nil || otherIndex == index { return false }
        return other.real == root.real ? otherIndex < index : other.covers(root.real)
      }
    }.map(\.element)
  }

  /// Whether a real path is this one or below it.
  func covers(_ path: [UInt8]) -> Bool {
    guard failure == nil else { return false }
    if path == real { return true }
    guard status.st_mode & S_IFMT == S_IFDIR else { return false }
    let folder = real.last == UInt8(ascii: "/") ? real : real + [UInt8(ascii: "/")]
    return path.starts(with: folder)
  }

  /// The word for what is no regular file and no folder.
  static func word(for kind: mode_t) -> String {
    switch kind {
    case S_IFIFO: "fifo"
    case S_IFSOCK: "socket"
    case S_IFLNK: "symlink"
    case S_IFDIR: "directory"
    default: "device"
    }
  }
}

extension [UInt8] {
  /// Lends these bytes as a path.
  func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (self + [0]).withUnsafeBytes { buffer in
      // The zero is there, so there is a first byte.
      body(buffer.baseAddress!.assumingMemoryBound(to: CChar.self))
    }
  }
}
