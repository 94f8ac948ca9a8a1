import Foundation
import Glibc
package import PhotoAttachments
import PhotoIngestion

/// A folder of backups. It has pictures as in a cache folder, and a database file per snapshot in `snapshots/`.
///
/// The file `petspot-backup` marks the folder, and every process that uses the folder locks it. A folder without the
/// marker is never changed. Only names that this type creates are deleted, relative to open folders and without
/// following links. Snapshots and pictures get their names after they are on the disk. A killed run therefore leaves
/// only files in `incoming/`, which the next run deletes.
package final class BackupFolder: Sendable {
  /// The absolute path, without links.
  package let path: String
  /// The marker file, which is locked for the lifetime of this object.
  private let marker: PictureFile
  let snapshots: PictureFile
  /// Errors of picture folders (*shards*, one for each beginning of a digest) that couldn't be checked.
  let unreadableShards: [StoreError]

  /// The folder as a cache folder, for access to the pictures.
  var pictures: CacheFolder { CacheFolder(path: path) }
  /// The pictures of all snapshots.
  var storage: any BlobStorage { FolderStorage.existing(pictures) }

  private static let markerText = "petspot-backup 1\n"

  // MARK: - Opening

  /// Opens a folder for writing. Marks an empty folder.
  ///
  /// - Parameters:
  ///   - cache: the cache folder that is backed up.
  ///   - isKnown: returns `true` if this store was backed up to the path before. An empty folder at such a path is
  ///     rejected, because it may be the mount point of a missing disk.
  /// - Throws: `StoreError.backup`.
  package init(
    writing named: String, of cache: CacheFolder, isKnown: (String) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let path = try Self.resolve(named, else: .notABackup)
    try Self.check(path, isApartFrom: cache)
    let folder = try Self.openEntry(path, flags: O_DIRECTORY, else: .notABackup)
    let marker = try Self.marker(in: folder, path, isKnown)
    try SystemCalls.check("chmod", path) { Int(fchmod(folder.descriptor, 0o700)) }
    let place = path + "/snapshots"
    if mkdirat(folder.descriptor, "snapshots", 0o700) != 0, errno != EEXIST {
      throw StoreError(operation: "mkdir", path: place, errno: errno)
    }
    let snapshots = try Self.openEntry(place, in: folder, flags: O_DIRECTORY, else: .notABackup)
    do throws(StoreError) { try CacheFolder(path: path).make() } catch {
      guard case .cacheUnavailable(let target, let code) = error else { throw error }
      throw code == ENOTDIR
        ? .backup(.notABackup, path: target)
        : StoreError(operation: "open", path: target, errno: code)
    }
    unreadableShards = try Self.checkShards(path)
    try SystemCalls.sync(folder.descriptor, path: path)
    self.path = path
    self.marker = marker
    self.snapshots = snapshots
  }

  /// Throws unless the folder and the cache folder are outside of each other.
  ///
  /// - Parameter cache: the cache folder, which may not exist yet.
  private static func check(_ path: String, isApartFrom cache: CacheFolder) throws(StoreError) {
    let isThere = access(cache.path, F_OK) == 0
    var nearest = URL(fileURLWithPath: cache.path)
    while nearest.path != "/", access(nearest.path, F_OK) != 0 { nearest.deleteLastPathComponent() }
    let own = try resolve(nearest.path, else: .inCache) + "/"
    if own.hasPrefix(path + "/") || isThere && (path + "/").hasPrefix(own) {
      throw .backup(.inCache, path: path)
    }
  }

  /// Opens a folder to restore from.
  ///
  /// - Parameter cache: the cache folder that is restored to.
  /// - Throws: `StoreError.backup`.
  package init(reading named: String, to cache: CacheFolder) throws(StoreError) {
    let path = try Self.resolve(named, else: .noBackup)
    try Self.check(path, isApartFrom: cache)
    let folder = try Self.openEntry(path, flags: O_DIRECTORY, else: .noBackup)
    let marker = try Self.openEntry(
      "\(path)/\(BackupMarker.name)", in: folder, flags: O_NONBLOCK, else: .noBackup)
    try Self.lock(marker, LOCK_SH, path)
    try Self.check(marker, path)
    let snapshots = try Self.openEntry(
      path + "/snapshots", in: folder, flags: O_DIRECTORY, else: .noSnapshot)
    unreadableShards = []
    self.path = path
    self.marker = marker
    self.snapshots = snapshots
  }

  /// Throws if a picture folder is a link that leads elsewhere.
  ///
  /// - Returns: errors of picture folders that can't be checked. These are harmless, because pictures are stored and
  ///   deleted without following links.
  private static func checkShards(_ path: String) throws(StoreError) -> [StoreError] {
    var unreadable: [StoreError] = []
    for kind in BlobPath.Kind.ofRecords {
      for shard in try CacheFolder(path: path).entries(of: kind.rawValue) {
        let place = "\(path)/\(kind.rawValue)/\(shard)"
        let status: stat?
        do throws(StoreError) { status = try SystemCalls.status(place, path: place) } catch {
          guard case .storage = error else { throw error }
          unreadable.append(error)
          continue
        }
        if status.map({ $0.st_mode & S_IFMT == S_IFLNK }) ?? false {
          throw .backup(.notABackup, path: place)
        }
      }
    }
    return unreadable
  }

  private static func resolve(
    _ path: String, else problem: StoreError.BackupProblem
  ) throws(StoreError) -> String {
    guard let found = realpath(path, nil) else {
      if [ENOENT, ENOTDIR, ELOOP].contains(errno) { throw .backup(problem, path: path) }
      throw StoreError(operation: "open", path: path, errno: errno)
    }
    defer { free(found) }
    return String(cString: found)
  }

  /// Opens a file or folder. If it is missing or of another type, throws `problem` about the whole backup folder.
  private static func openEntry(
    _ path: String, in folder: PictureFile? = nil, flags: Int32,
    else problem: StoreError.BackupProblem
  ) throws(StoreError) -> PictureFile {
    do throws(StoreError) {
      let name = folder == nil ? path : String(path.split(separator: "/").last ?? "")
      let file = try SystemCalls.open(
        name, in: folder?.descriptor ?? AT_FDCWD, flags: flags, mode: 0o600, path: path)
      return flags & O_DIRECTORY != 0
        ? PictureFile(file, sizeBytes: 0, path: path) : try .regular(file, path: path)
    } catch {
      let isOther = [ENOENT, ENOTDIR, ELOOP, EISDIR, ENXIO].contains(error.systemErrno)
      throw isOther || error == .fault(.blobNotAFile) ? .backup(problem, path: path) : error
    }
  }

  // MARK: - The marker

  /// Opens and locks the marker. Creates it in an empty folder.
  private static func marker(
    in folder: PictureFile, _ path: String, _ isKnown: (String) throws(StoreError) -> Bool
  ) throws(StoreError) -> PictureFile {
    let names = try CacheFolder(path: path).entries(of: ".")
    // A new file system has `lost+found`.
    let isEmpty = names.allSatisfy { ["lost+found", BackupMarker.name].contains($0) }
    let isMarked = names.contains(BackupMarker.name)
    guard isMarked || isEmpty else { throw .backup(.notABackup, path: path) }
    if !isMarked, try isKnown(path) { throw .backup(.vanished, path: path) }
    let marker = try openEntry(
      "\(path)/\(BackupMarker.name)", in: folder,
      flags: O_RDWR | O_NONBLOCK | (isMarked ? 0 : O_CREAT),
      else: .notABackup)
    try lock(marker, LOCK_EX, path)
    // An empty marker is new, or left by a killed run.
    if isEmpty, marker.sizeBytes == 0 {
      try SystemCalls.write(Array(markerText.utf8), to: marker.descriptor, path: path)
      try SystemCalls.sync(marker.descriptor, path: path)
      try SystemCalls.sync(folder.descriptor, path: path)
    } else {
      try check(marker, path)
    }
    return marker
  }

  private static func lock(
    _ marker: PictureFile, _ kind: Int32, _ path: String
  ) throws(StoreError) {
    do throws(StoreError) {
      try SystemCalls.check("lock", path) { Int(flock(marker.descriptor, kind | LOCK_NB)) }
    } catch {
      throw error.systemErrno == EWOULDBLOCK ? .backup(.inUse, path: path) : error
    }
  }

  private static func check(_ marker: PictureFile, _ path: String) throws(StoreError) {
    let bytes = try PictureBody.file(marker).readBytes(0..<min(marker.sizeBytes, 100))
    let text = String(decoding: bytes, as: UTF8.self)
    if text == markerText { return }
    let version = text.firstMatch(of: /^petspot-backup ([0-9]+)/).flatMap { Int($0.1) }
    throw .backup(
      version ?? 0 > 1 ? .otherVersion : .damagedMarker, path: "\(path)/\(BackupMarker.name)")
  }
}
