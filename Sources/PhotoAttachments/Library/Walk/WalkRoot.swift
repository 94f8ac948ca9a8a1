import Glibc
import SystemPackage

/// The paths that the user gave, without those that are inside another one.
struct WalkRoots {
  let list: [WalkRoot]
  /// The absolute paths without links of all of them, and of those that are folders.
  private let all: Set<[UInt8]>
  private let folders: Set<[UInt8]>

  init(_ paths: [FilePath]) {
    let roots = paths.map(WalkRoot.init)
    let found = roots.filter { $0.failure == nil }
    let folders = Set(found.filter { $0.status.st_mode & S_IFMT == S_IFDIR }.map(\.real))
    var seen: Set<[UInt8]> = []
    // Sets, because comparing all pairs would be slow: a shell's `*` can expand to tens of thousands of paths.
    list = roots.filter { root in
      let isKnown =
        root.failure == nil ? !seen.insert(root.real).inserted : seen.contains(root.real)
      return !isKnown && !Self.isBelow(folders, root.real)
    }
    all = Set(found.map(\.real))
    self.folders = folders
  }

  /// Returns `true` if a real path is one of these or below one of them.
  func covers(_ path: [UInt8]) -> Bool { all.contains(path) || Self.isBelow(folders, path) }

  private static func isBelow(_ folders: Set<[UInt8]>, _ path: [UInt8]) -> Bool {
    let slash = UInt8(ascii: "/")
    if path.first == slash, path.count > 1, folders.contains([slash]) { return true }
    return path.indices.contains { end in
      end > 0 && path[end] == slash && folders.contains(Array(path[..<end]))
    }
  }
}

/// A path that the user gave, and its target.
struct WalkRoot {
  /// The path without trailing slashes.
  var given: [UInt8]
  /// The absolute path without links. If nothing is there, the given path.
  var real: [UInt8]
  var status: stat
  /// The error if nothing is there or it can't be read.
  var failure: Int32?
  var throughLink: Bool

  init(_ path: FilePath) {
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
}

extension [UInt8] {
  /// Calls `body` with these bytes as a C string.
  func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (self + [0]).withUnsafeBytes { buffer in
      // The buffer ends with a zero, so it isn't empty.
      body(buffer.baseAddress!.assumingMemoryBound(to: CChar.self))
    }
  }
}
