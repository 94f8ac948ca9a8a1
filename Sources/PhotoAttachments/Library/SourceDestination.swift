import Foundation
import Glibc
package import SystemPackage
import PhotoIngestion

/// The folder that originals are moved to instead of being deleted, each below it as it lay below the
/// path that was given for the import. No file in it is ever replaced.
struct SourceDestination: Sendable {
  private let root: OpenFolder
  private let path: FilePath
  private let given: [FilePath]

  /// Opens the folder, making it when it is missing.
  ///
  /// - Throws: `StoreError.storage`, with `EINVAL` for a folder that is imported itself or lies in a
  ///   cache: what is moved there would be a source again, or be taken for a stored photo.
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

  /// Whether originals may not be moved to a path: it is imported itself, or lies in a cache.
  ///
  /// - Parameter cache: the cache that is imported into, which need not be there yet.
  static func isRefused(
    _ path: FilePath, importing given: [FilePath], into cache: CacheFolder? = nil
  ) -> Bool {
    let real = WalkRoot(path).real
    if let cache, place(of: path).starts(with: place(of: FilePath(cache.path))) { return true }
    if WalkRoots(given).covers(real) { return true }
    var folder = OpenFolder(open("/", OpenPath.flag | O_DIRECTORY | O_CLOEXEC))
    for name in real.split(separator: UInt8(ascii: "/")) {
      let next = Array(name).withPath {
        openat(folder.descriptor, $0, OpenPath.flag | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      }
      guard next >= 0 else { return false }
      folder = OpenFolder(next)
      if CacheDetector.isCache(next) { return true }
    }
    return false
  }

  /// Where a path leads, or would lead once it is made: absolute and without links.
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

  enum Outcome {
    case moved(FilePath)
    case failed(errno: Int32)
  }

  /// Moves a file that was renamed and compared with what was read.
  ///
  /// Across file systems the very bytes that were compared are written, synced and read back before
  /// the original goes; it is renamed otherwise.
  ///
  /// - Parameters:
  ///   - hidden: its name in `folder` now.
  ///   - sidecars: names of files there that go with it, before it.
  ///   - file: what the walk found.
  ///   - bytes: its content, of which `digest` is the SHA-256.
  ///   - status: its mode and times.
  func take(
    _ hidden: [UInt8], with sidecars: [[UInt8]] = [], from folder: Int32, of file: FoundFile,
    _ bytes: [UInt8], sha256 digest: String, _ status: stat
  ) -> Outcome {
    var parts = below(file.path)
    guard let name = parts.popLast() else { return .failed(errno: EINVAL) }
    var target = root
    for part in parts {
      if part.withPath({ mkdirat(target.descriptor, $0, 0o777) }) == 0 {
        fsync(target.descriptor)
      } else if errno != EEXIST {
        return .failed(errno: errno)
      }
      let next = part.withPath {
        openat(target.descriptor, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      }
      guard next >= 0 else { return .failed(errno: errno) }
      target = OpenFolder(next)
    }
    var code = EEXIST
    for number in 1...999 where code == EEXIST {
      let free = Self.numbered(name, number)
      // The photo goes last: what is cut short goes on where it still lies.
      var moved: [(old: [UInt8], new: [UInt8])] = []
      code = 0
      for sidecar in sidecars where code == 0 {
        let new = Self.name(of: sidecar, when: name, becomes: free)
        code = move(sidecar, from: folder, new, to: target.descriptor)
        if code == 0 { moved.append((sidecar, new)) }
        // It went with another photo of the same name.
        if code == ENOENT { code = 0 }
      }
      if code == 0 {
        code = move(hidden, from: folder, free, to: target.descriptor) { (bytes, digest, status) }
      }
      fsync(target.descriptor)
      fsync(folder)
      guard code == 0 else {
        for (old, new) in moved { _ = move(new, from: target.descriptor, old, to: folder) }
        continue
      }
      let place = parts.reduce(path) { $0.appending(FilePath(bytes: $1).components) }
      return .moved(place.appending(FilePath(bytes: free).components))
    }
    return .failed(errno: code)
  }

  /// Renames a file where the new name is free, across file systems too; 0 or the errno.
  ///
  /// - Parameter content: its bytes with their digest, and its mode and times.
  private func move(
    _ name: [UInt8], from folder: Int32, _ new: [UInt8], to target: Int32,
    content: (() -> (bytes: [UInt8], digest: String, status: stat)?)? = nil
  ) -> Int32 {
    var code = Self.rename(name, from: folder, new, to: target)
    guard code == EXDEV else { return code }
    guard let (bytes, digest, status) = content?() ?? Self.content(of: name, in: folder) else {
      return EIO
    }
    code = copy(bytes, digest, status, as: new, to: target)
    if code == 0, name.withPath({ unlinkat(folder, $0, 0) }) != 0 {
      // It stays, so its copy goes.
      code = errno
      _ = new.withPath { unlinkat(target, $0, 0) }
    }
    return code
  }

  private static func content(
    of name: [UInt8], in folder: Int32
  ) -> (bytes: [UInt8], digest: String, status: stat)? {
    let descriptor = name.withPath { openat(folder, $0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
    guard descriptor >= 0 else { return nil }
    let open = OpenFile(descriptor)
    guard let status = open.status(), let bytes = try? open.read(Int(status.st_size)) else {
      return nil
    }
    return (bytes, PhotoIngestion.sha256(of: bytes), status)
  }

  /// The name of a sidecar whose photo is renamed: `rex-2.mov` with `rex-2.heic`.
  private static func name(
    of sidecar: [UInt8], when photo: [UInt8], becomes new: [UInt8]
  ) -> [UInt8] {
    let dot = UInt8(ascii: ".")
    let stem = photo[..<(photo.lastIndex(of: dot) ?? photo.count)]
    guard photo != new, sidecar.starts(with: stem) else { return sidecar }
    return Array(new[..<(new.lastIndex(of: dot) ?? new.count)] + sidecar[stem.count...])
  }

  /// The names that lead to a file below the path that was given.
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

  /// `rex.jpg`, `rex-2.jpg`, `rex-3.jpg` …
  private static func numbered(_ name: [UInt8], _ number: Int) -> [UInt8] {
    guard number > 1 else { return name }
    let dot = name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil } ?? name.count
    return name[..<dot] + Array("-\(number)".utf8) + name[dot...]
  }

  /// Renames where the new name is free; 0 or the errno.
  static func rename(
    _ name: [UInt8], from folder: Int32, _ new: [UInt8], to target: Int32
  ) -> Int32 {
    let code = name.withPath { name in
      new.withPath { ExclusiveRename.rename(name, from: folder, $0, to: target) }
    }
    guard [EINVAL, ENOSYS].contains(code) else { return code }
    // Network file systems know no such rename; a link is never made over a name either.
    return name.withPath { name in
      new.withPath { new in
        if linkat(folder, name, target, new, 0) != 0 { return errno }
        return unlinkat(folder, name, 0) == 0 ? 0 : errno
      }
    }
  }

  /// Writes a copy under a free name: whole, on the disk, and read back; 0 or the errno.
  private func copy(
    _ bytes: [UInt8], _ digest: String, _ status: stat, as name: [UInt8], to folder: Int32
  ) -> Int32 {
    let random = String(UInt64.random(in: .min ... .max), radix: 16)
    let part = Array(".petspot-move-\(random).part".utf8)
    let descriptor = part.withPath {
      openat(folder, $0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    guard descriptor >= 0 else { return errno }
    let open = OpenFile(descriptor)
    defer { _ = part.withPath { unlinkat(folder, $0, 0) } }
    do throws(StoreError) {
      try SystemCalls.write(bytes, to: descriptor, path: "")
    } catch {
      return errno == 0 ? EIO : errno
    }
    var times = [status.st_atim, status.st_mtim]
    guard fchmod(descriptor, status.st_mode & 0o777) == 0, futimens(descriptor, &times) == 0,
      fsync(descriptor) == 0
    else { return errno }
    guard let written = try? open.read(bytes.count), PhotoIngestion.sha256(of: written) == digest
    else { return EIO }
    return Self.rename(part, from: folder, name, to: folder)
  }
}

extension CacheFolder {
  /// Whether it lies in a folder for caches, which programs empty to make room. Links are followed.
  package func isDisposable(
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> Bool {
    let place = SourceDestination.place(of: FilePath(path))
    return Self.userCaches(environment).contains {
      place.starts(with: SourceDestination.place(of: FilePath($0)))
    }
  }
}

extension ImportOptions {
  /// Whether originals may not be moved to a path: it is imported itself, or lies in a cache.
  package static func isNoDestination(
    _ path: FilePath, importing given: [FilePath], into cache: CacheFolder
  ) -> Bool {
    SourceDestination.isRefused(path, importing: given, into: cache)
  }
}
