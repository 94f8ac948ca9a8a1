import Foundation
import Glibc

/// The folder that holds uploads. `<token>` contains the bytes and `<token>.json` the record. Calls block.
///
/// Syncs happen in a fixed order, so power loss or SIGKILL at any call leaves either no upload or one that can
/// continue:
/// * New upload: create an empty data file and sync it. Write the record to a temporary name, sync it and rename it.
///   Sync the folder, which makes both names durable. A data file without a record is no upload.
/// * Bytes: the data file is synced before an offset is acknowledged. Its size is the offset, because file systems that
///   order data before sizes (ext4, XFS, btrfs) never show more than was written.
/// * Outcome: the record is replaced as for a new upload and the folder synced before the data file is deleted.
/// * Removal: the record is deleted first, then the data file.
package struct UploadFolder: Sendable {
  /// The absolute path without a trailing slash.
  package let path: String
  /// A hook for tests, called with the name of each operation that changed something.
  package var changed: @Sendable (_ operation: String) -> Void

  package init(path: String, changed: @escaping @Sendable (_ operation: String) -> Void = { _ in })
  {
    self.path = path
    self.changed = changed
  }

  /// Creates a value for the uploads folder of a server with this cache folder.
  package init(beside folder: CacheFolder) { self.init(path: folder.path + "/uploads") }

  // MARK: - Folder

  /// Creates the folder with mode 0700 if it is missing.
  ///
  /// - Returns: `true` if it was missing. The caller then has to sync its name.
  /// - Throws: also if the path is a link or a file, because the target of a link may belong to someone else.
  package func make() throws(UploadError) -> Bool {
    if mkdir(path, 0o700) == 0 {
      changed("mkdir")
      return true
    }
    guard errno == EEXIST else { throw UploadError("mkdir", errno: errno) }
    try Self.within(path) { _ in }
    return false
  }

  /// Syncs the parent folder so that the folder's name is durable.
  package func syncName() throws(UploadError) {
    let parent = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    try Self.within(parent.isEmpty ? "/" : parent) { folder throws(UploadError) in
      try Self.check("fsync") { Int(fsync(folder)) }
    }
  }

  /// Deletes a file.
  ///
  /// - Returns: `true` if the file existed.
  @discardableResult
  package func remove(_ entry: Entry) throws(UploadError) -> Bool {
    guard unlink(path + "/" + entry.name) == 0 else {
      if errno == ENOENT { return false }
      throw UploadError("unlink", errno: errno)
    }
    changed("unlink \(entry.kind)")
    return true
  }

  /// Deletes all files of an upload.
  package func remove(_ token: String) throws(UploadError) {
    for kind in [Entry.Kind.record, .data, .newRecord] {
      if let entry = Entry(kind, token) { try remove(entry) }
    }
    try sync()
  }

  /// Deletes all uploads of these owners, including those that a server is adding bytes to.
  package func removeUploads(of owners: [String]) throws {
    for entry in try entries() where entry.kind == .record {
      guard let owner = try record(entry.token)?.owner, owners.contains(owner) else { continue }
      try remove(entry.token)
    }
  }

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

  /// Returns the record of an upload. `nil` if it is missing or damaged.
  package func record(_ token: String) throws(UploadError) -> UploadRecord? {
    guard let file = try Self.openRegular(path(.record, token), O_RDONLY) else { return nil }
    defer { close(file) }
    return UploadRecord(json: try Self.readBytes(file, count: Self.size(of: file)))
  }

  /// Writes the record of an upload. It is durable when this returns. Only one caller may write at a time.
  package func write(_ record: UploadRecord, of token: String) throws(UploadError) {
    let json = try record.json()
    let new = path(.newRecord, token)
    let place = path(.record, token)
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

  /// Creates an upload, which is durable when this returns. After a failure, no upload remains.
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

  /// Opens the bytes of an upload for reading and writing. `nil` if there is no data file.
  package func openData(_ token: String) throws(UploadError) -> Int32? {
    try Self.openRegular(path(.data, token), O_RDWR)
  }

  private func path(_ kind: Entry.Kind, _ token: String) -> String {
    path + "/" + token + kind.suffix
  }
}

extension UploadRecord {
  /// Decodes a record. `nil` if it is damaged.
  fileprivate init?(json: [UInt8]) {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .millisecondsSince1970
    guard let record = try? decoder.decode(Self.self, from: Data(json)),
      record.length >= 0, (record.outcome == nil) == (record.finished == nil)
    else { return nil }
    self = record
    if outcome != nil { offset = length }
  }

  fileprivate func json() throws(UploadError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .millisecondsSince1970
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings, integers and present-day dates always encode.
    guard let data = try? encoder.encode(self) else { throw UploadError("encode", errno: EINVAL) }
    return [UInt8](data)
  }
}
