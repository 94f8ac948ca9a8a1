import Glibc
import PhotoIngestion
package import SystemPackage

/// Deletes or moves an original so that never another file goes in its place: the file is renamed
/// to a name that no other process knows, compared with what was read, and only then unlinked.
///
/// A run that is killed in between leaves the original under that hidden name, which holds its own:
/// `.petspot-delete-0123456789abcdef-IMG_1.jpg`. Every later import takes it for the file it is; one
/// that deletes gives it its name back first.
package enum SourceRemoval {
  private static let prefix = Array(".petspot-delete-".utf8)
  /// Digits of a random number and the dash behind them.
  private static let randomLength = 17
  /// Bytes a file's name may have on every file system of Linux.
  private static let maxNameLength = 255

  /// The name that a hidden one holds, nil when this import did not make it.
  static func originalName(of name: [UInt8]) -> [UInt8]? {
    guard name.starts(with: prefix), name.count > prefix.count + randomLength,
      name[prefix.count + randomLength - 1] == UInt8(ascii: "-")
    else { return nil }
    return Array(name[(prefix.count + randomLength)...])
  }

  /// A new hidden name, nil when the file's own leaves no room for it.
  static func hiddenName(for name: [UInt8]) -> [UInt8]? {
    let random = String(UInt64.random(in: .min ... .max), radix: 16)
    let digits = String(repeating: "0", count: randomLength - 1 - random.count) + random + "-"
    let hidden = prefix + Array(digits.utf8) + (originalName(of: name) ?? name)
    return hidden.count <= maxNameLength ? hidden : nil
  }

  /// Gives an original its name back that a killed run hid.
  ///
  /// - Returns: the name it has now: `name` where it is no hidden one or its own is taken.
  static func restore(_ name: [UInt8], in folder: Int32) -> [UInt8] {
    guard let original = originalName(of: name) else { return name }
    return SourceDestination.rename(name, from: folder, original, to: folder) == 0 ? original : name
  }

  /// Deletes a file that was read.
  ///
  /// - Parameters:
  ///   - file: what the walk found, reached without following a link.
  ///   - sidecars: names of files that are moved with it.
  ///   - digest: SHA-256 of what was read.
  ///   - destination: where it is moved instead; nil to delete it.
  ///   - isStored: whether the file with this status is one of the store's.
  /// - Returns: why it was kept, or that it is gone.
  static func remove(
    _ file: FoundFile, with sidecars: [[UInt8]] = [], sha256 digest: String,
    to destination: SourceDestination? = nil, isStored: (stat) -> Bool
  ) -> Outcome {
    var names = file.key.split(separator: UInt8(ascii: "/")).map(Array.init)
    guard let name = names.popLast() else { return .kept(.changed) }
    var folder = OpenFolder(Glibc.open("/", OpenPath.flag | O_DIRECTORY | O_CLOEXEC))
    for parent in names {
      let next = parent.withPath {
        openat(folder.descriptor, $0, OpenPath.flag | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      }
      guard next >= 0 else { return .kept(.changed) }
      folder = OpenFolder(next)
      if CacheDetector.isCache(next) { return .kept(.stored) }
    }
    let descriptor = name.withPath {
      openat(folder.descriptor, $0, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
    }
    guard descriptor >= 0 else { return .kept(.changed) }
    let open = OpenFile(descriptor)
    guard let status = open.status(), isSame(status, file),
      let bytes = try? open.read(file.identity.size), sha256(of: bytes) == digest,
      isSame(open.status(), file)
    else { return .kept(.changed) }
    if CacheDetector.isStored(name) || isStored(status) { return .kept(.stored) }
    guard let hidden = hiddenName(for: name) else { return .kept(.failed(errno: ENAMETOOLONG)) }
    let code = SourceDestination.rename(
      name, from: folder.descriptor, hidden, to: folder.descriptor)
    guard code == 0 else { return .kept(code == ENOENT ? .changed : .failed(errno: code)) }
    return removeHidden(hidden, name, open, file, in: folder.descriptor) { () -> Outcome in
      guard let destination else {
        let isGone = hidden.withPath { unlinkat(folder.descriptor, $0, 0) } == 0
        return isGone ? .deleted : .kept(.failed(errno: errno))
      }
      let moved = destination.take(
        hidden, with: sidecars, from: folder.descriptor, of: file, bytes, sha256: digest, status)
      return switch moved {
      case .moved(let path): .moved(path)
      case .failed(let errno): .kept(.failed(errno: errno))
      }
    }
  }

  package enum Outcome: Sendable, Equatable {
    case deleted
    case moved(FilePath)
    case kept(SourceKeptReason)
  }

  /// What was renamed may be another file by now, or have been written to.
  private static func removeHidden(
    _ hidden: [UInt8], _ name: [UInt8], _ open: OpenFile, _ file: FoundFile, in folder: Int32,
    _ take: () -> Outcome
  ) -> Outcome {
    var taken = stat()
    var reason = SourceKeptReason.changed
    if hidden.withPath({ fstatat(folder, $0, &taken, AT_SYMLINK_NOFOLLOW) }) == 0,
      isSame(taken, file), !open.isBeingWritten
    {
      let outcome = take()
      guard case .kept(let kept) = outcome else { return outcome }
      reason = kept
    }
    if SourceDestination.rename(hidden, from: folder, name, to: folder) == 0 {
      return .kept(reason)
    }
    // Another file has its name by now: both stay, this one where it can be seen.
    let visible = Array(hidden.dropFirst())
    let isSeen = SourceDestination.rename(hidden, from: folder, visible, to: folder) == 0
    let path = file.path.removingLastComponent()
    return .kept(
      .displaced(path.appending(FilePath(bytes: isSeen ? visible : hidden).components)))
  }

  private static func isSame(_ status: stat?, _ file: FoundFile) -> Bool {
    status.map { $0.st_mode & S_IFMT == S_IFREG && FileIdentity($0) == file.identity } ?? false
  }
}

extension SourceRemoval {
  /// Deletes an object whose bytes are still those that were read. It is read once more: what is deleted
  /// is the version that these bytes came from, as `ObjectSource.delete` promises.
  ///
  /// - Parameters:
  ///   - file: what the walk found.
  ///   - digest: SHA-256 of what was read.
  /// - Returns: why it was kept, or that it is gone.
  static func remove(
    _ file: FoundFile, sha256 digest: String, from source: any ObjectSource
  ) -> Outcome {
    guard let key = source.key(of: file) else { return .kept(.changed) }
    let name = key.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
    if source.belongsToCache(key) || CacheDetector.isStored(name) { return .kept(.stored) }
    do throws(StoreError) {
      guard let (object, bytes) = try source.read(key, first: nil),
        object.identity == file.identity, sha256(of: bytes) == digest
      else { return .kept(.changed) }
      return try source.delete(object) ? .deleted : .kept(.changed)
    } catch {
      switch error {
      case .unreachable(let service, let detail), .overloaded(let service, let detail),
        .serviceFailed(let service, let detail):
        return .kept(.storeFailed(service: service, detail: detail))
      default: return .kept(.changed)
      }
    }
  }
}
