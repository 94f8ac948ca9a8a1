import Glibc
import PhotoIngestion
package import SystemPackage

/// Deletes or moves an original and the files that go with it (`SourceSet`), never another file in its
/// place.
///
/// A run that is killed in between leaves files under hidden names that hold their own:
/// `.petspot-delete-0123456789abcdef-IMG_1.jpg`, with one number for each set. The next import of the folder
/// gives them their names back.
package enum SourceRemoval {
  private static let prefix = Array(".petspot-delete-".utf8)
  /// Digits of a random number and the dash behind them.
  private static let randomLength = 17
  /// Bytes a file's name may have on every file system of Linux.
  private static let maxNameLength = 255

  /// The name that a hidden one holds, nil when this import did not make it.
  static func originalName(of name: [UInt8]) -> [UInt8]? {
    guard name.starts(with: prefix), name.count > prefix.count + randomLength,
      name[prefix.count + randomLength - 1] == UInt8(ascii: "-"),
      isHexadecimal(
        String(decoding: name.dropFirst(prefix.count).prefix(randomLength - 1), as: UTF8.self),
        digits: randomLength - 1)
    else { return nil }
    return Array(name[(prefix.count + randomLength)...])
  }

  /// A hidden name, nil when the file's own leaves no room for it.
  ///
  /// - Parameter number: that of its set.
  static func hiddenName(
    for name: [UInt8], _ number: UInt64 = .random(in: .min ... .max)
  ) -> [UInt8]? {
    let random = String(number, radix: 16)
    let digits = String(repeating: "0", count: randomLength - 1 - random.count) + random + "-"
    let hidden = prefix + Array(digits.utf8) + (originalName(of: name) ?? name)
    return hidden.count <= maxNameLength ? hidden : nil
  }

  /// Deletes or moves a file that was read.
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
    do throws(SourceKeptReason) {
      let slash = file.key.lastIndex(of: UInt8(ascii: "/")) ?? 0
      let name = Array(file.key[slash...].dropFirst())
      var isInCache = false
      let folder = OpenFolder(real: Array(file.key[..<slash])) {
        isInCache = isInCache || CacheDetector.isCache($0)
      }
      if isInCache { throw .stored }
      guard let folder else { throw .changed }
      var set = SourceSet(in: folder)
      var isFresh = false
      for sidecar in sidecars {
        guard let (_, status) = try set.add(sidecar) else { continue }
        isFresh = isFresh || FileIdentity(status).isFresh
      }
      guard let (photo, status) = try set.add(name), isSame(status, file),
        try photo.digest(of: file.identity.size) == digest, isSame(photo.status(), file)
      else { throw .changed }
      if CacheDetector.isStored(name) || isStored(status) { throw .stored }
      // A program that writes may close its file for a moment.
      if isFresh { sleep(2) }
      return try set.hide { (set) throws(SourceKeptReason) -> Outcome in
        if let destination { return .moved(try destination.take(&set, of: file)) }
        try set.unlink()
        return .deleted
      }
    } catch .displaced(let name) {
      let folder = file.path.removingLastComponent()
      return .kept(.displaced(folder.appending(name.components)))
    } catch {
      return .kept(error)
    }
  }

  package enum Outcome: Sendable, Equatable {
    case deleted
    case moved(FilePath)
    case kept(SourceKeptReason)
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
