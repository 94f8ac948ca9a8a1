import Foundation
import Glibc
package import SystemPackage
import PhotoIngestion

/// The folder to which originals are moved instead of being deleted. Each original keeps its path relative to the
/// imported folder. Files that already exist in the destination are never replaced.
package struct SourceDestination: Sendable {
  private let root: OpenFolder
  private let path: FilePath
  private let given: [FilePath]

  /// Opens the folder, and creates it if it doesn't exist.
  ///
  /// - Throws: `StoreError.storage`, with `EINVAL` if the folder is imported itself or is inside a cache. Originals
  ///   that are moved there would become sources again, or be mistaken for stored photos.
  init(_ path: FilePath, importing given: [FilePath]) throws(StoreError) {
    self.path = path
    self.given = given
    let bytes = path.rawBytes
    let shown = path.string
    if bytes.withPath({ mkdir($0, 0o777) }) != 0, errno != EEXIST {
      throw StoreError(operation: "mkdir", path: shown, errno: errno)
    }
    guard WalkRoot(path).failure == nil, !Self.isRefused(path, importing: given) else {
      throw StoreError(operation: "move originals", path: shown, errno: EINVAL)
    }
    let descriptor = bytes.withPath { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw StoreError(operation: "open", path: shown, errno: errno) }
    root = OpenFolder(descriptor)
  }

  /// Returns `true` if originals can't be moved to a path because it is imported itself or is inside a cache.
  ///
  /// - Parameter cache: the cache that is imported into. It may not exist yet.
  package static func isRefused(
    _ path: FilePath, importing given: [FilePath], into cache: CacheFolder? = nil
  ) -> Bool {
    let place = place(of: path)
    if let cache, place.starts(with: self.place(of: FilePath(cache.path))) { return true }
    if WalkRoots(given).covers(place.rawBytes) { return true }
    var isInCache = false
    _ = OpenFolder(real: place.rawBytes) { isInCache = isInCache || CacheDetector.isCache($0) }
    return isInCache
  }

  /// Returns the absolute path without links. For a path that doesn't exist yet, it is the one it would get when
  /// created.
  fileprivate static func place(of path: FilePath) -> FilePath {
    var known = path
    var missing = [FilePath.Component]()
    if !known.isAbsolute {
      known = FilePath(FileManager.default.currentDirectoryPath).pushing(known)
    }
    while WalkRoot(known).failure == ENOENT, let name = known.lastComponent {
      missing.insert(name, at: 0)
      known.removeLastComponent()
    }
    return FilePath(bytes: WalkRoot(known).real).appending(missing)
  }

  /// Moves an original and its sidecars to the same relative path in this folder as in the imported folder. They have
  /// hidden names before (`SourceSet.hide`).
  ///
  /// - Returns: the photo's new path.
  func move(_ set: inout SourceSet, of file: FoundFile) throws(SourceKeptReason) -> FilePath {
    var target = root
    var place = path
    for part in below(file.path).dropLast() {
      if part.withPath({ mkdirat(target.descriptor, $0, 0o777) }) == 0 {
        fsync(target.descriptor)
      } else if errno != EEXIST {
        throw .failed(errno: errno)
      }
      let next = target.open(part, O_RDONLY | O_DIRECTORY)
      guard next >= 0 else { throw .failed(errno: errno) }
      target = OpenFolder(next)
      place.append(FilePath(bytes: part).components)
    }
    return place.appending(FilePath(bytes: try set.move(to: target)).components)
  }

  /// Returns the path components of a file below the imported folder.
  private func below(_ path: FilePath) -> [[UInt8]] {
    let root = given.filter { path.starts(with: $0) }
      .max { $0.components.count < $1.components.count }
    var rest = path
    if let root { _ = rest.removePrefix(root) }
    let names = rest.components.filter { $0.kind == .regular }.map {
      FilePath(root: nil, [$0]).rawBytes
    }
    if root != nil, !names.isEmpty { return names }
    return path.lastComponent.map { [FilePath(root: nil, [$0]).rawBytes] } ?? []
  }

  /// Renames a file if the new name is free. Returns 0 or an errno.
  static func rename(
    _ name: [UInt8], from folder: OpenFolder, _ new: [UInt8], to target: OpenFolder
  ) -> Int32 {
    name.withPath { name in
      new.withPath { new in
        ExclusiveRename.rename(name, from: folder.descriptor, new, to: target.descriptor)
      }
    }
  }
}

extension CacheFolder {
  /// Returns `true` if the folder is inside a folder for caches, which other programs may empty. Follows links.
  package func isDisposable(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> Bool {
    let place = SourceDestination.place(of: FilePath(path))
    return Self.userCaches(environment).contains {
      place.starts(with: SourceDestination.place(of: FilePath($0)))
    }
  }
}
