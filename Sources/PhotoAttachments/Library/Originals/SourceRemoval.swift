import Glibc
import PhotoIngestion
package import SystemPackage

/// Deletes or moves an original and its sidecars (`SourceSet`), but never another file that replaced it.
///
/// An import that is killed during this leaves files under hidden names that contain their own names:
/// `.petspot-delete-0123456789abcdef-IMG_1.jpg`. All files of a set have the same number. The next import of the folder
/// restores their names.
package enum SourceRemoval {
  private static let prefix = Array(".petspot-delete-".utf8)
  /// The length of a random number and the hyphen after it.
  private static let randomLength = 17
  /// The maximum length of a file name in bytes that every Linux file system supports.
  private static let maxNameLength = 255

  /// Returns the original name in a hidden one; `nil` if it isn't such a name.
  static func originalName(of name: [UInt8]) -> [UInt8]? {
    guard name.starts(with: prefix), name.count > prefix.count + randomLength,
      name[prefix.count + randomLength - 1] == UInt8(ascii: "-"),
      isHexadecimal(
        String(decoding: name.dropFirst(prefix.count).prefix(randomLength - 1), as: UTF8.self),
        digits: randomLength - 1)
    else { return nil }
    return Array(name[(prefix.count + randomLength)...])
  }

  /// Returns a hidden name for a file; `nil` if its own name is too long.
  ///
  /// - Parameter number: the number of its set.
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
  ///   - file: the file that the walk found without following a link.
  ///   - sidecars: names of files that are moved with it.
  ///   - digest: the SHA-256 of the bytes that were read.
  ///   - destination: the folder to move it to. `nil` deletes it.
  ///   - isStored: returns `true` if the file with this status is one of the store's pictures.
  /// - Returns: the outcome, with the reason if the file was kept.
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
      // A program that is writing may close its file for a moment.
      if isFresh { sleep(2) }
      return try set.hide { (set) throws(SourceKeptReason) -> Outcome in
        if let destination { return .moved(try destination.move(&set, of: file)) }
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
  /// Deletes an object if it still has the bytes that were read. Reads it again, and deletes exactly the version that
  /// these bytes came from, as `ObjectSource.delete` promises.
  ///
  /// - Parameters:
  ///   - file: the object that the walk found.
  ///   - digest: the SHA-256 of the bytes that were read.
  /// - Returns: the outcome, with the reason if the object was kept.
  static func remove(
    _ file: FoundFile, sha256 digest: String, from source: any ObjectSource
  ) -> Outcome {
    guard let key = source.key(of: file) else { return .kept(.changed) }
    let name = key.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
    if source.belongsToCache(key) || CacheDetector.isStored(name) { return .kept(.stored) }
    do throws(StoreError) {
      guard let (object, bytes) = try source.readObject(key, first: nil),
        object.identity == file.identity, sha256(of: bytes) == digest
      else { return .kept(.changed) }
      return try source.delete(object) ? .deleted : .kept(.changed)
    } catch {
      switch error {
      case .unreachable(let service, let detail), .overloaded(let service, let detail),
        .serviceFailed(let service, let detail, _):
        return .kept(.storeFailed(service: service, detail: detail))
      default: return .kept(.changed)
      }
    }
  }
}
