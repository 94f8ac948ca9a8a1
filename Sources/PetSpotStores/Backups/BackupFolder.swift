import Foundation
import Glibc
import Logging
package import PhotoAttachments
import PhotoIngestion

/// A folder of backups: pictures as in a cache folder, and in `snapshots/` a database file of each moment.
///
/// The file `petspot-backup` marks the folder as one of ours and is locked while somebody works on it.
/// Without it nothing is changed. Only names that this type makes are deleted, relative to opened folders and
/// without following links. Snapshots and pictures get their names once they are on the disk, so a killed run
/// leaves nothing but files in `incoming/`, which the next one deletes.
package final class BackupFolder: Sendable {
  /// Absolute, without links.
  package let path: String
  private let marker: Int32
  private let snapshots: Int32

  /// Where the pictures are.
  var pictures: CacheFolder { CacheFolder(path: path) }
  private var snapshotsPath: String { path + "/snapshots" }

  static let markerName = "petspot-backup"
  private static let markerText = "petspot-backup 1\n"

  deinit {
    close(snapshots)
    close(marker)
  }

  private init(_ path: String, marker: Int32, snapshots: Int32) {
    self.path = path
    self.marker = marker
    self.snapshots = snapshots
  }

  /// Whether a folder is marked as one of backups.
  static func isMarked(_ folder: CacheFolder) -> Bool {
    var status = stat()
    return lstat(folder.path + "/" + markerName, &status) == 0
  }

  // MARK: - Opening

  /// Opens a folder to write to; an empty one is marked.
  ///
  /// - Parameters:
  ///   - cache: the folder of the cache that is backed up.
  ///   - isKnown: whether a path had backups of this store before. An empty folder there is refused: it may be
  ///     the mount point of a disk that is missing.
  /// - Throws: `StoreError.backup`.
  package static func open(
    _ path: String, of cache: CacheFolder, isKnown: (String) throws(StoreError) -> Bool
  ) throws(StoreError) -> BackupFolder {
    let path = try resolved(path, else: .notABackup)
    if let cache = realpath(cache.path, nil) {
      defer { free(cache) }
      let cache = String(cString: cache) + "/"
      if cache.hasPrefix(path + "/") || (path + "/").hasPrefix(cache) {
        throw .backup(.inCache, path: path)
      }
    }
    let folder = try opened(path, path: path)
    defer { close(folder) }
    let marker = try marker(in: folder, path, isKnown)
    let snapshots: Int32
    do throws(StoreError) {
      try SystemCalls.check("chmod", path) { Int(fchmod(folder, 0o700)) }
      if mkdirat(folder, "snapshots", 0o700) != 0, errno != EEXIST {
        throw StoreError(operation: "mkdir", path: path + "/snapshots", errno: errno)
      }
      snapshots = try opened("snapshots", in: folder, path: path + "/snapshots")
    } catch {
      close(marker)
      throw error
    }
    let backup = BackupFolder(path, marker: marker, snapshots: snapshots)
    do throws(StoreError) { try backup.pictures.make() } catch {
      guard case .cacheUnavailable(let target, let code) = error else { throw error }
      throw code == ENOTDIR
        ? .backup(.notABackup, path: target)
        : StoreError(operation: "open", path: target, errno: code)
    }
    try SystemCalls.sync(folder, path: path)
    return backup
  }

  /// Opens a folder to restore from.
  ///
  /// - Throws: `StoreError.backup`.
  package static func openExisting(_ path: String) throws(StoreError) -> BackupFolder {
    let path = try resolved(path, else: .noBackup)
    let folder = try opened(path, path: path, else: .noBackup)
    defer { close(folder) }
    guard let marker = try existingMarker(in: folder, flags: O_RDONLY, path, else: .noBackup) else {
      throw .backup(.noBackup, path: path)
    }
    do throws(StoreError) {
      try lock(marker, LOCK_SH, path)
      try check(marker, path)
      let snapshots = try opened(
        "snapshots", in: folder, path: path + "/snapshots", else: .noSnapshot)
      return BackupFolder(path, marker: marker, snapshots: snapshots)
    } catch {
      close(marker)
      throw error
    }
  }

  private static func resolved(
    _ path: String, else problem: StoreError.BackupProblem
  ) throws(StoreError) -> String {
    guard let found = realpath(path, nil) else {
      if [ENOENT, ENOTDIR, ELOOP].contains(errno) { throw .backup(problem, path: path) }
      throw StoreError(operation: "open", path: path, errno: errno)
    }
    defer { free(found) }
    return String(cString: found)
  }

  /// Opens a folder; what else has its name is a problem of the whole folder.
  private static func opened(
    _ name: String, in folder: Int32 = AT_FDCWD, path: String,
    else problem: StoreError.BackupProblem = .notABackup
  ) throws(StoreError) -> Int32 {
    do throws(StoreError) {
      return try SystemCalls.open(name, in: folder, flags: O_RDONLY | O_DIRECTORY, path: path)
    } catch {
      guard [ENOENT, ENOTDIR, ELOOP].contains(error.systemErrno) else { throw error }
      throw .backup(problem, path: path)
    }
  }

  // MARK: - The marker

  /// Opens the marker; nil if there is none.
  private static func existingMarker(
    in folder: Int32, flags: Int32, _ path: String, else problem: StoreError.BackupProblem
  ) throws(StoreError) -> Int32? {
    do throws(StoreError) {
      return try SystemCalls.open(
        markerName, in: folder, flags: flags | O_NONBLOCK, path: "\(path)/\(markerName)")
    } catch {
      switch error.systemErrno {
      case ENOENT: return nil
      case ELOOP, EISDIR, ENXIO: throw .backup(problem, path: path)
      default: throw error
      }
    }
  }

  /// Opens and locks the marker, or makes it in an empty folder.
  private static func marker(
    in folder: Int32, _ path: String, _ isKnown: (String) throws(StoreError) -> Bool
  ) throws(StoreError) -> Int32 {
    var marker = try existingMarker(in: folder, flags: O_RDWR, path, else: .notABackup)
    if marker == nil {
      // A new file system has `lost+found`.
      guard try CacheFolder(path: path).entries(of: ".").allSatisfy({ $0 == "lost+found" }) else {
        throw .backup(.notABackup, path: path)
      }
      if try isKnown(path) { throw .backup(.vanished, path: path) }
      marker = try SystemCalls.open(
        markerName, in: folder, flags: O_RDWR | O_CREAT, mode: 0o600, path: "\(path)/\(markerName)")
    }
    guard let marker else { throw .backup(.notABackup, path: path) }
    do throws(StoreError) {
      try lock(marker, LOCK_EX, path)
      var status = stat()
      try SystemCalls.check("stat", path) { Int(fstat(marker, &status)) }
      let others = try CacheFolder(path: path).entries(of: ".").filter {
        $0 != "lost+found" && $0 != markerName
      }
      // One that a killed run made in the empty folder.
      if status.st_mode & S_IFMT == S_IFREG, status.st_size == 0, others.isEmpty {
        try SystemCalls.write(Array(markerText.utf8), to: marker, path: path)
        try SystemCalls.sync(marker, path: path)
        try SystemCalls.sync(folder, path: path)
      }
      try check(marker, path)
      return marker
    } catch {
      close(marker)
      throw error
    }
  }

  private static func lock(_ marker: Int32, _ kind: Int32, _ path: String) throws(StoreError) {
    do throws(StoreError) {
      try SystemCalls.check("lock", path) { Int(flock(marker, kind | LOCK_NB)) }
    } catch {
      throw error.systemErrno == EWOULDBLOCK ? .backup(.inUse, path: path) : error
    }
  }

  /// Checks the marker's text and version.
  private static func check(_ marker: Int32, _ path: String) throws(StoreError) {
    let path = "\(path)/\(markerName)"
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = try SystemCalls.check("read", path) { pread(marker, &bytes, bytes.count, 0) }
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    if text == markerText { return }
    let version = text.firstMatch(of: /^petspot-backup ([0-9]+)/).flatMap { Int($0.1) }
    throw .backup(version ?? 0 > 1 ? .otherVersion : .damaged, path: path)
  }

  // MARK: - Snapshots

  /// A snapshot by its name, `2026-11-28T03-30-00.123Z-SHA256.sqlite`: when it was made, and the digest of its
  /// bytes.
  struct Snapshot: Sendable, Equatable {
    let name: String
    let made: Date
    /// The time as it is written in the name.
    var stamp: Substring { name.prefix(24) }
    var sha256: Substring { name.dropFirst(25).prefix(64) }

    init?(name: String) {
      let form = /([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2})-([0-9]{2})-([0-9.]{6}Z)-[0-9a-f]{64}\.sqlite/
      guard let match = name.wholeMatch(of: form),
        let made = try? BackupFolder.format.parse("\(match.1):\(match.2):\(match.3)")
      else { return nil }
      self.name = name
      self.made = made
    }
  }

  private static let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  static func stamp(of moment: Date) -> String {
    moment.formatted(format).replacing(":", with: "-")
  }

  /// The snapshots, the newest last. Files with other names are not ours.
  func list() throws(StoreError) -> [Snapshot] {
    try pictures.entries(of: "snapshots").compactMap(Snapshot.init)
  }

  func path(of snapshot: Snapshot) -> String { "\(snapshotsPath)/\(snapshot.name)" }

  /// Opens a snapshot whose bytes have the digest in its name.
  ///
  /// - Parameters:
  ///   - cache: lends its threads and limits.
  ///   - blobs: where the snapshot's pictures are; nil for this folder.
  /// - Throws: `StoreError.backup` with `damaged` or `otherVersion`; `.storage` if it can't be read.
  func open(
    _ snapshot: Snapshot, beside cache: PhotoAttachmentCache, blobs: (any BlobStorage)? = nil
  ) throws(StoreError) -> RecordsFile {
    let path = path(of: snapshot)
    do throws(StoreError) {
      let file = try picture(snapshot.name, in: snapshots, flags: O_RDONLY | O_NONBLOCK, path)
      guard try PictureBody.file(file).digest() == snapshot.sha256 else {
        throw .backup(.damaged, path: path)
      }
      return try RecordsFile(path, of: self, isReadOnly: true, beside: cache, blobs: blobs)
    } catch {
      switch error {
      case .fault, .database(.damaged, _): throw .backup(.damaged, path: path)
      case .database(.otherVersion, _): throw .backup(.otherVersion, path: path)
      default: throw error.systemErrno == ELOOP ? .backup(.damaged, path: path) : error
      }
    }
  }

  private func picture(
    _ name: String, in folder: Int32 = AT_FDCWD, flags: Int32, _ path: String
  ) throws(StoreError) -> PictureFile {
    let descriptor = try SystemCalls.open(name, in: folder, flags: flags, path: path)
    var status = stat()
    do throws(StoreError) {
      try SystemCalls.check("stat", path) { Int(fstat(descriptor, &status)) }
    } catch {
      close(descriptor)
      throw error
    }
    let file = PictureFile(descriptor, sizeBytes: Int(status.st_size), path: path)
    guard status.st_mode & S_IFMT == S_IFREG else { throw .fault(.blobNotAFile) }
    return file
  }

  /// A name that says that no living process owns the file, so the next run deletes it.
  private func newPath() -> String { "\(pictures.incoming)/\(randomName())-0" }

  /// Makes a database file that is deleted with `discard(_:)`, or by the next run.
  func scratch(
    copying old: RecordsFile? = nil, beside cache: PhotoAttachmentCache
  ) throws(StoreError) -> RecordsFile {
    let path = newPath()
    try old?.copy(to: path)
    return try RecordsFile(path, of: self, isReadOnly: false, beside: cache)
  }

  /// Adds a snapshot of the records in a file.
  func add(_ records: RecordsFile, stamp: some StringProtocol) throws(StoreError) -> Snapshot {
    let path = newPath()
    do throws(StoreError) {
      try records.copy(to: path)
      let file = try picture(path, flags: O_RDWR, path)
      try SystemCalls.check("chmod", path) { Int(fchmod(file.descriptor, 0o600)) }
      try SystemCalls.sync(file.descriptor, path: path)
      let name = "\(stamp)-\(try PictureBody.file(file).digest()).sqlite"
      guard let snapshot = Snapshot(name: name) else { throw .fault(.record) }
      try SystemCalls.check("rename", path) { Int(renameat(AT_FDCWD, path, snapshots, name)) }
      try SystemCalls.sync(snapshots, path: snapshotsPath)
      return snapshot
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Deletes a snapshot.
  func remove(_ snapshot: Snapshot) throws(StoreError) {
    try SystemCalls.check("unlink", path(of: snapshot)) {
      Int(unlinkat(snapshots, snapshot.name, 0))
    }
    try SystemCalls.sync(snapshots, path: snapshotsPath)
  }
}
