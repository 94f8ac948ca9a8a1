import Announcements
package import Foundation
import Glibc
import PhotoIngestion
package import PhotoAttachments

/// A folder of backups: `snapshots/MOMENT/` has the records of a moment and a manifest, `pictures/` all
/// pictures that any of them refers to, by their digests.
///
/// A snapshot is written under another name and renamed when all of it is on the disk. What replaces a file is
/// renamed over it. So whenever a process is killed, each snapshot is either whole or not there.
package struct BackupFolder: Sendable {
  /// Absolute path without a slash at the end.
  package let path: String
  private var snapshots: String { path + "/snapshots" }
  /// Where the pictures are.
  package var pictures: CacheFolder { CacheFolder(path: path + "/pictures") }

  package init(path: String) { self.path = CacheFolder(path: path).path }

  /// What a snapshot consists of.
  package struct Manifest: Codable, Sendable {
    /// A file with its digest; its path is relative to the snapshot, that of a picture to `pictures/`.
    package struct File: Codable, Sendable, Hashable {
      package var path: String
      package var sha256: String
      package var bytes: Int
    }

    var version = 1
    /// When it was made, as ISO 8601.
    package var made: String
    package var records: File
    package var pictures: [File]
    /// Keys of the objects that keep the pictures, where an object store does.
    package var objects: File?
    /// Marks of what was erased until then; nothing that has one is in the snapshot.
    package var marks: [String]
    /// The digest of this manifest without this field.
    var sha256: String?

    func encoded() throws -> Data {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys, .prettyPrinted]
      return try encoder.encode(self)
    }

    mutating func sign() throws {
      sha256 = nil
      sha256 = PhotoIngestion.sha256(of: [UInt8](try encoded()))
    }
  }

  /// A snapshot that is whole.
  package struct Entry: Sendable {
    /// Its folder's name, which begins with the moment.
    package let name: String
    package var manifest: Manifest
  }

  // MARK: - The folder

  /// Makes the folder for this user alone.
  ///
  /// - Throws: `StoreError.backup` with `notABackup` for a folder with other things.
  package func make() throws(StoreError) {
    let isNew = access(snapshots, F_OK) != 0
    if isNew, !entries(of: path).isSubset(of: ["lock", "pictures"]) {
      throw .backup(.notABackup, path: path)
    }
    do throws(StoreError) { try pictures.make() } catch {
      guard case .cacheUnavailable(let target, let code) = error else { throw error }
      throw StoreError(operation: "open", path: target, errno: code)
    }
    for folder in [path, snapshots] {
      if mkdir(folder, 0o700) != 0, errno != EEXIST {
        throw StoreError(operation: "mkdir", path: folder, errno: errno)
      }
      try SystemCalls.check("chmod", folder) { Int(chmod(folder, 0o700)) }
    }
    try sync(path)
  }

  /// Does work that no other process does on the folder at the same time, but for others that only read.
  ///
  /// - Throws: `StoreError.backup` with `notABackup` or `inUse`; what `work` throws.
  package func locked<T>(
    reading: Bool, _ work: () async throws(StoreError) -> T
  ) async throws(StoreError) -> T {
    let file = path + "/lock"
    let descriptor: Int32
    do throws(StoreError) {
      descriptor = try SystemCalls.open(
        file, flags: reading ? O_RDONLY : O_CREAT | O_RDWR, mode: 0o600, path: file)
    } catch {
      guard reading, [ENOENT, ENOTDIR].contains(error.systemErrno) else { throw error }
      throw .backup(.notABackup, path: path)
    }
    defer { close(descriptor) }
    guard flock(descriptor, (reading ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 else {
      throw .backup(.inUse, path: path)
    }
    return try await work()
  }

  private func entries(of folder: String) -> Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
  }

  private func sync(_ folder: String) throws(StoreError) {
    let descriptor = try SystemCalls.open(folder, flags: O_RDONLY | O_DIRECTORY, path: folder)
    defer { close(descriptor) }
    try SystemCalls.sync(descriptor, path: folder)
  }

  // MARK: - Snapshots

  /// The snapshots, the newest last, and the names of those that are not as they were written.
  package func list() -> (whole: [Entry], damaged: [String]) {
    var whole: [Entry] = []
    var damaged: [String] = []
    for name in entries(of: snapshots).sorted() where !name.hasPrefix(".") {
      if let manifest = manifest(of: name) {
        whole.append(Entry(name: name, manifest: manifest))
      } else {
        damaged.append(name)
      }
    }
    return (whole, damaged)
  }

  private func manifest(of name: String) -> Manifest? {
    guard let bytes = FileManager.default.contents(atPath: "\(snapshots)/\(name)/manifest.json"),
      let manifest = try? JSONDecoder().decode(Manifest.self, from: bytes)
    else { return nil }
    var signed = manifest
    guard (try? signed.sign()) != nil, signed.sha256 == manifest.sha256,
      (try? signed.encoded()) == bytes
    else { return nil }
    return manifest
  }

  /// The bytes of a file of a snapshot, proved by the manifest.
  ///
  /// - Throws: `StoreError.backup` with `damaged` for other bytes.
  package func read(_ file: Manifest.File, of entry: Entry) throws(StoreError) -> Data {
    let path = "\(snapshots)/\(entry.name)/\(file.path)"
    guard let bytes = FileManager.default.contents(atPath: path), bytes.count == file.bytes,
      sha256(of: [UInt8](bytes)) == file.sha256
    else { throw .backup(.damaged, path: path) }
    return bytes
  }

  /// A snapshot's records.
  ///
  /// - Throws: `StoreError.backup` with `damaged`.
  package func records(of entry: Entry) throws(StoreError) -> Snapshot {
    let bytes = try read(entry.manifest.records, of: entry)
    do { return try Snapshot(encoded: bytes) } catch {
      throw .backup(.damaged, path: "\(snapshots)/\(entry.name)/\(entry.manifest.records.path)")
    }
  }

  /// Adds a snapshot.
  ///
  /// - Parameter objects: keys and sizes of the objects that keep the pictures; nil where `pictures/` does.
  package func add(
    _ snapshot: Snapshot, pictures: [Manifest.File], objects: Data?, at moment: Date
  ) throws(StoreError) -> Entry {
    let made = moment.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    let name = made.replacing(":", with: "-")
    let folder = "\(snapshots)/.new-\(name)"
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw StoreError(operation: "mkdir", path: folder, errno: errno)
    }
    var manifest = Manifest(
      made: made, records: try write(snapshot, in: folder), pictures: pictures,
      marks: snapshot.marks.sorted())
    if let objects { manifest.objects = try write(objects, "objects.tsv", in: folder) }
    try write(&manifest, in: folder)
    let place = "\(snapshots)/\(name)"
    try SystemCalls.check("rename", place) { Int(rename(folder, place)) }
    try sync(snapshots)
    return Entry(name: name, manifest: manifest)
  }

  /// Replaces a snapshot's records; what it no longer refers to leaves its manifest.
  package func replace(
    _ entry: inout Entry, by snapshot: Snapshot
  ) throws(StoreError) {
    let folder = "\(snapshots)/\(entry.name)"
    let old = entry.manifest.records
    let places = Set(snapshot.photos.flatMap(\.places).map(\.relativePath))
    var manifest = entry.manifest
    manifest.pictures.removeAll { !places.contains($0.path) }
    manifest.marks = snapshot.marks.sorted()
    if let objects = manifest.objects {
      let lines = try read(objects, of: entry).split(separator: UInt8(ascii: "\n"))
      let left = lines.filter { line in
        // `KIND/SHARD/NONCE/NAME` and a size.
        let key = line.prefix { $0 != UInt8(ascii: "\t") }
        let parts = String(decoding: key, as: UTF8.self).split(separator: "/").suffix(4)
        guard parts.count == 4, let name = parts.last else { return false }
        return places.contains((parts.prefix(2) + [name]).joined(separator: "/"))
      }
      let text = Data(left.map { $0 + [UInt8(ascii: "\n")] }.joined())
      manifest.objects = try write(text, "objects.tsv", in: folder)
    }
    manifest.records = try write(snapshot, in: folder)
    try write(&manifest, in: folder)
    entry.manifest = manifest
    if old.path != manifest.records.path { unlink("\(folder)/\(old.path)") }
    try sync(folder)
  }

  /// Deletes snapshots, and what a killed backup left.
  package func remove(_ names: [String]) throws(StoreError) {
    for name in names {
      let hidden = "\(snapshots)/.old-\(name)"
      try SystemCalls.check("rename", hidden) { Int(rename("\(snapshots)/\(name)", hidden)) }
    }
    for name in entries(of: snapshots) where name.hasPrefix(".") {
      do { try FileManager.default.removeItem(atPath: "\(snapshots)/\(name)") } catch {
        throw .storage(operation: "unlink", path: "\(snapshots)/\(name)", errno: EIO)
      }
    }
    try sync(snapshots)
  }

  // MARK: - Files

  private func write(
    _ snapshot: Snapshot, in folder: String
  ) throws(StoreError) -> Manifest.File {
    let bytes = try StoreError.catching { try snapshot.encoded() }
    return try write(bytes, "records-\(sha256(of: [UInt8](bytes)).prefix(16)).jsonl", in: folder)
  }

  private func write(_ manifest: inout Manifest, in folder: String) throws(StoreError) {
    let bytes = try StoreError.catching {
      try manifest.sign()
      return try manifest.encoded()
    }
    _ = try write(bytes, "manifest.json", in: folder)
  }

  /// Writes a file that is on the disk, under its name, when this returns.
  private func write(
    _ data: Data, _ name: String, in folder: String
  ) throws(StoreError) -> Manifest.File {
    let bytes = [UInt8](data)
    let (place, new) = ("\(folder)/\(name)", "\(folder)/.\(name).new")
    let file = try SystemCalls.open(
      new, flags: O_CREAT | O_TRUNC | O_WRONLY, mode: 0o600, path: new)
    do throws(StoreError) {
      try SystemCalls.write(bytes, to: file, path: new)
      try SystemCalls.sync(file, path: new)
    } catch {
      close(file)
      unlink(new)
      throw error
    }
    try SystemCalls.closeWritten(file, path: new)
    try SystemCalls.check("rename", place) { Int(rename(new, place)) }
    try sync(folder)
    return Manifest.File(path: name, sha256: sha256(of: bytes), bytes: bytes.count)
  }
}
