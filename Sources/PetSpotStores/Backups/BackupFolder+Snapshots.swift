import Foundation
import Glibc
import PhotoAttachments
import PhotoIngestion

/// The database files of a folder of backups.
extension BackupFolder {
  /// A snapshot's name, `2026-11-28T03-30-00.123Z-SHA256.sqlite`, with its time and the digest of its bytes.
  struct Snapshot: Sendable, Equatable {
    let name: String
    let made: Date
    var stamp: Substring { name.prefix(24) }
    fileprivate var sha256: Substring { name.dropFirst(25).prefix(64) }

    init?(name: String) {
      let form =
        /([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2})-([0-9]{2})-([0-9.]{6}Z)-[0-9a-f]{64}\.sqlite/
      guard let match = name.wholeMatch(of: form),
        let made = try? BackupFolder.format.parse("\(match.1):\(match.2):\(match.3)")
      else { return nil }
      self.name = name
      self.made = made
    }
  }

  private static let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  /// Returns the time in the form in which the names of snapshots begin.
  static func stamp(of moment: Date) -> String {
    moment.formatted(format).replacing(":", with: "-")
  }

  /// Returns the snapshots, the newest last. Ignores files with other names.
  func list() throws(StoreError) -> [Snapshot] {
    try pictures.entries(of: "snapshots").compactMap(Snapshot.init)
  }

  private func place(of snapshot: Snapshot) -> String { "\(path)/snapshots/\(snapshot.name)" }

  /// Opens a snapshot after comparing its digest with its name.
  ///
  /// - Parameters:
  ///   - cache: the cache whose threads and limits are used.
  ///   - blobs: the place of the snapshot's pictures. `nil` means this folder.
  /// - Throws: `StoreError.backup` with `damaged` or `otherVersion`; `.storage` if it can't be read.
  func open(
    _ snapshot: Snapshot, beside cache: PhotoAttachmentCache, blobs: (any BlobStorage)? = nil
  ) throws(StoreError) -> RecordsFile {
    let path = place(of: snapshot)
    do throws(StoreError) {
      let descriptor = try SystemCalls.open(
        snapshot.name, in: snapshots.descriptor, flags: O_RDONLY | O_NONBLOCK, path: path)
      let file = try PictureFile.regular(descriptor, path: path)
      guard try PictureBody.file(file).digest() == snapshot.sha256 else {
        throw .fault(.blobDamaged)
      }
      return try RecordsFile(path, of: self, isReadOnly: true, beside: cache, blobs: blobs)
    } catch {
      switch error {
      case .fault, .database(.damaged, _), .storage(_, _, ELOOP):
        throw .backup(.damaged, path: path)
      case .database(.otherVersion, _): throw .backup(.otherVersion, path: path)
      default: throw error
      }
    }
  }

  private func newPath() -> String { "\(pictures.incoming)/\(randomName())-0" }

  /// Returns a path for a restored sample, a folder that is deleted afterwards or by the next run.
  func newSamplePath() -> String { "\(pictures.incoming)/\(randomName())-sample" }

  /// Deletes the database files and samples of a killed run, or only the given sample.
  func removeScratch(_ sample: String? = nil) throws(StoreError) {
    let path = pictures.incoming
    let incoming = PictureFile(
      try SystemCalls.open(path, flags: O_DIRECTORY, path: path), sizeBytes: 0, path: path)
    for name in try pictures.entries(of: "incoming")
    where name.wholeMatch(of: /[0-9a-f]{32}-(?:0(?:-journal)?|sample)/) != nil {
      if let sample, sample != path + "/" + name { continue }
      try Self.remove(name, in: incoming, path: path + "/" + name)
    }
  }

  /// Deletes a file, or a folder with its contents, without following links.
  private static func remove(
    _ name: String, in folder: PictureFile, path: String
  ) throws(StoreError) {
    if unlinkat(folder.descriptor, name, 0) == 0 || errno == ENOENT { return }
    guard errno == EISDIR else { throw StoreError(operation: "unlink", path: path, errno: errno) }
    let inner = PictureFile(
      try SystemCalls.open(name, in: folder.descriptor, flags: O_DIRECTORY, path: path),
      sizeBytes: 0, path: path)
    for name in try CacheFolder(path: "/proc/self/fd/\(inner.descriptor)").entries(of: ".") {
      try remove(name, in: inner, path: path + "/" + name)
    }
    try SystemCalls.check("rmdir", path) {
      Int(unlinkat(folder.descriptor, name, AT_REMOVEDIR))
    }
  }

  /// Creates a temporary database file, empty or as a copy. `discard()` or the next run deletes it.
  func scratch(
    copying old: RecordsFile? = nil, beside cache: PhotoAttachmentCache
  ) throws(StoreError) -> RecordsFile {
    let path = newPath()
    do throws(StoreError) {
      try old?.copy(to: path)
      return try RecordsFile(path, of: self, isReadOnly: false, beside: cache)
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Adds a copy of a temporary database file to the snapshots. It gets its name after it is on the disk.
  func add(_ records: RecordsFile, stamp: some StringProtocol) throws(StoreError) -> Snapshot {
    let path = newPath()
    do throws(StoreError) {
      try records.copy(to: path)
      let file = try PictureFile.regular(
        SystemCalls.open(path, flags: O_RDWR, path: path), path: path)
      try SystemCalls.check("chmod", path) { Int(fchmod(file.descriptor, 0o600)) }
      try SystemCalls.sync(file.descriptor, path: path)
      let name = "\(stamp)-\(try PictureBody.file(file).digest()).sqlite"
      guard let snapshot = Snapshot(name: name) else { throw .fault(.record) }
      try SystemCalls.check("rename", path) {
        Int(renameat(AT_FDCWD, path, snapshots.descriptor, name))
      }
      try SystemCalls.sync(snapshots.descriptor, path: path)
      return snapshot
    } catch {
      unlink(path)
      throw error
    }
  }

  func remove(_ snapshot: Snapshot) throws(StoreError) {
    let path = place(of: snapshot)
    try SystemCalls.check("unlink", path) {
      Int(unlinkat(snapshots.descriptor, snapshot.name, 0))
    }
    try SystemCalls.sync(snapshots.descriptor, path: path)
  }
}
