import Foundation
import Glibc

/// The folder that uploads lie in: `<token>` has the bytes, `<token>.json` the record. Calls block.
///
/// The order of syncs, by which power loss or SIGKILL at any call leaves either no upload or one that
/// can go on:
/// * A new upload: empty data file, synced; record written beside its place, synced, renamed; folder
///   synced, and with it both names. What has no record is no upload.
/// * Bytes: the data file is synced before an offset is acknowledged. Its size is the offset: file systems
///   that order data before sizes (ext4, XFS, btrfs) never show more than what was written.
/// * The outcome: the record is replaced like a new one, and the folder synced, before the data file
///   goes.
/// * Removal: the record first, then the data file.
package struct UploadFolder: Sendable {
  /// Absolute path without a slash at the end.
  package let path: String
  /// Hears the name of each call that has changed something, for tests.
  package var changed: @Sendable (_ operation: String) -> Void

  /// The folder at a path.
  package init(path: String, changed: @escaping @Sendable (_ operation: String) -> Void = { _ in })
  {
    self.path = path
    self.changed = changed
  }

  /// Where a server with this cache folder keeps its uploads.
  package init(beside folder: CacheFolder) { self.init(path: folder.path + "/uploads") }

  // MARK: - Folder

  /// Makes the folder when it is missing, for this user alone (mode 0700).
  ///
  /// - Returns: whether it was missing; its name has to be synced then.
  /// - Throws: also if a link or a file has its name: what it leads to is not ours.
  package func make() throws(UploadError) -> Bool {
    if mkdir(path, 0o700) == 0 {
      changed("mkdir")
      return true
    }
    guard errno == EEXIST else { throw UploadError("mkdir", errno: errno) }
    try Self.within(path) { _ in }
    return false
  }

  /// Makes the folder's name last.
  package func syncName() throws(UploadError) {
    let parent = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    try Self.within(parent.isEmpty ? "/" : parent) { folder throws(UploadError) in
      try Self.check("fsync") { Int(fsync(folder)) }
    }
  }

  /// Deletes a file.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  package func remove(_ entry: Entry) throws(UploadError) -> Bool {
    guard unlink(path + "/" + entry.name) == 0 else {
      if errno == ENOENT { return false }
      throw UploadError("unlink", errno: errno)
    }
    changed("unlink \(entry.kind)")
    return true
  }

  /// Deletes an upload with all that it has.
  package func remove(_ token: String) throws(UploadError) {
    for kind in [Entry.Kind.record, .data, .newRecord] {
      if let entry = Entry(kind, token) { try remove(entry) }
    }
    try sync()
  }

  /// Deletes all uploads of these owners, also one that a server adds bytes to.
  package func removeUploads(of owners: [String]) throws {
    for entry in try entries() where entry.kind == .record {
      guard let owner = try record(entry.token)?.owner, owners.contains(owner) else { continue }
      try remove(entry.token)
    }
  }

  /// Deletes an upload's bytes.
  package func removeData(_ token: String) throws(UploadError) {
    if let entry = Entry(.data, token) { try remove(entry) }
  }

  private func sync() throws(UploadError) {
    try Self.within(path) { folder throws(UploadError) in
      try Self.check("fsync") { Int(fsync(folder)) }
    }
    changed("fsync folder")
  }

  // MARK: - Records

  /// An upload's record; nil when there is none or it is damaged.
  package func record(_ token: String) throws(UploadError) -> UploadRecord? {
    guard let file = try Self.opened(path(.record, token), O_RDONLY) else { return nil }
    defer { close(file) }
    return UploadRecord(json: try Self.read(file, count: Self.size(of: file)))
  }

  /// Writes an upload's record, which lasts when this returns. One writer at a time.
  package func write(_ record: UploadRecord, of token: String) throws(UploadError) {
    let json = try record.json()
    let (new, place) = (path(.newRecord, token), path(.record, token))
    let file = try Self.check("open") {
      Int(open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600))
    }
    changed("create record")
    do throws(UploadError) {
      do throws(UploadError) {
        var done = 0
        try Self.write(json, to: Int32(file), at: 0, done: &done)
        changed("write record")
        try Self.check("fsync") { Int(fsync(Int32(file))) }
      } catch {
        close(Int32(file))
        throw error
      }
      close(Int32(file))
      changed("fsync record")
      try Self.check("rename") { Int(rename(new, place)) }
    } catch {
      unlink(new)
      throw error
    }
    changed("rename record")
    try sync()
  }

  // MARK: - Bytes

  /// Makes an upload; it lasts when this returns. After a failure there is none.
  package func create(_ token: String, _ record: UploadRecord) throws(UploadError) {
    do throws(UploadError) {
      let file = try Self.check("open") {
        Int(open(path(.data, token), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
      }
      defer { close(Int32(file)) }
      changed("create data")
      try Self.check("fsync") { Int(fsync(Int32(file))) }
      changed("fsync data")
      try write(record, of: token)
    } catch {
      try? remove(token)
      throw error
    }
  }

  /// Opens an upload's bytes for reading and writing; nil when there are none.
  package func openData(_ token: String) throws(UploadError) -> Int32? {
    try Self.opened(path(.data, token), O_RDWR)
  }

  private func path(_ kind: Entry.Kind, _ token: String) -> String {
    path + "/" + token + kind.suffix
  }
}

extension UploadRecord {
  /// Reads a record; nil when it is damaged.
  fileprivate init?(json: [UInt8]) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    guard let record = try? decoder.decode(Self.self, from: Data(json)),
      record.length >= 0, (record.outcome == nil) == (record.finished == nil)
    else { return nil }
    self = record
    if outcome != nil { offset = length }
  }

  /// The record as it is written.
  fileprivate func json() throws(UploadError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .millisecondsSince1970
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts, whole numbers and dates of this time can always be encoded.
    guard let data = try? encoder.encode(self) else { throw UploadError("encode", errno: EINVAL) }
    return [UInt8](data)
  }
}
