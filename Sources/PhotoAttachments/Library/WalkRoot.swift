import Glibc
import SystemPackage

/// The paths that the person gave, without those that another one contains.
struct WalkRoots {
  let list: [WalkRoot]
  /// Where they lead, absolute and without links: all of them, and those that are folders.
  private let all: Set<[UInt8]>
  private let folders: Set<[UInt8]>

  init(_ paths: [FilePath]) {
    let roots = paths.map(WalkRoot.init)
    let found = roots.filter { $0.failure == nil }
    let folders = Set(found.filter { $0.status.st_mode & S_IFMT == S_IFDIR }.map(\.real))
    var seen: Set<[UInt8]> = []
    // Sets, not pairs: a shell's `*` names tens of thousands.
    list = roots.filter { root in
      let isKnown =
        root.failure == nil ? !seen.insert(root.real).inserted : seen.contains(root.real)
      return !isKnown && !Self.isBelow(folders, root.real)
    }
    all = Set(found.map(\.real))
    self.folders = folders
  }

  /// Whether a real path is one of these or below one.
  func covers(_ path: [UInt8]) -> Bool { all.contains(path) || Self.isBelow(folders, path) }

  private static func isBelow(_ folders: Set<[UInt8]>, _ path: [UInt8]) -> Bool {
    let slash = UInt8(ascii: "/")
    if path.first == slash, path.count > 1, folders.contains([slash]) { return true }
    return path.indices.contains { end in
      end > 0 && path[end] == slash && folders.contains(Array(path[..<end]))
    }
  }
}

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
  /// Lends these bytes as a path.
  func withPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    (self + [0]).withUnsafeBytes { buffer in
      // The zero is there, so there is a first byte.
      body(buffer.baseAddress!.assumingMemoryBound(to: CChar.self))
    }
  }
}
