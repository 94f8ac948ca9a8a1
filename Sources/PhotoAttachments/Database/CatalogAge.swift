import Glibc
package import Logging

/// Detects a catalog that is older than its pictures: an earlier copy that was put back knows nothing of photos
/// recorded since, whose pictures a sweep would take for rubbish.
///
/// Photos are numbered as they are recorded. A file beside the catalog holds the highest number; a catalog that has
/// not come so far is an earlier copy.
extension Catalog {
  /// Writes the number of the last photo to the folder once a transaction that records photos is committed.
  package func noteNewest(_ t: Transaction) throws {
    guard let notes, let number = try t.rows("SELECT max(sequence) FROM photo").first?.number(0)
    else { return }
    t.afterCommit { notes.raise(to: number) }
  }

  /// Keeps pictures without a record from now on if this catalog is an earlier copy.
  package func checkAge(_ logger: Logger) throws(StoreError) {
    guard let notes, let noted = try notes.read() else { return }
    let last = try database.rows(database.dialect.newestPhoto).first?.number(0) ?? 0
    if noted <= last { return }
    _ = try database.write { try $0.run("UPDATE store SET found_pictures = (1 = 1)") }
    try notes.write(last)
    logger.warning(
      "the catalog is an earlier copy; pictures that are there are kept without a record",
      metadata: ["photos": "\(last)", "recorded": "\(noted)"])
  }
}

/// The file in a cache folder that holds the number of the last photo on record.
package struct NewestPhotoNote: Sendable {
  private let path: String
  /// Digits of a number, which always takes as many: one call writes it, and the file never grows.
  private static let width = 20

  /// - Parameter records: tells apart the databases that use the folder; nil for the folder's own.
  package init(in folder: CacheFolder, of records: String? = nil) {
    path = folder.path + "/database/newest" + (records.map { "-" + $0 } ?? "")
  }

  private func open(_ flags: Int32) throws(StoreError) -> Int32 {
    try SystemCalls.open(path, flags: flags | O_NONBLOCK, mode: 0o600, path: path)
  }

  /// Returns the number; nil if none was written. Anything else in the file counts as the highest one.
  func read() throws(StoreError) -> Int64? {
    let file: Int32
    do throws(StoreError) { file = try open(O_RDONLY) } catch {
      if error.systemErrno == ENOENT { return nil }
      throw error
    }
    defer { close(file) }
    return try read(file)
  }

  private func read(_ file: Int32) throws(StoreError) -> Int64? {
    var bytes = [UInt8](repeating: 0, count: Self.width)
    let count = try SystemCalls.check("read", path) { pread(file, &bytes, bytes.count, 0) }
    if count == 0 { return nil }
    return Int64(String(decoding: bytes[..<count], as: UTF8.self)) ?? .max
  }

  func write(_ number: Int64) throws(StoreError) {
    let file = try open(O_RDWR | O_CREAT)
    defer { close(file) }
    try write(number, to: file)
  }

  private func write(_ number: Int64, to file: Int32) throws(StoreError) {
    let digits = String(number)
    let bytes = Array((String(repeating: "0", count: Self.width - digits.count) + digits).utf8)
    try SystemCalls.check("write", path) { pwrite(file, bytes, bytes.count, 0) }
  }

  /// Writes a higher number. If that fails, or two processes write at the same moment, the note is a few photos behind:
  /// then an earlier copy of the catalog may be taken for the last one, and nothing else happens.
  func raise(to number: Int64) {
    do throws(StoreError) {
      let file = try open(O_RDWR | O_CREAT)
      defer { close(file) }
      if try read(file) ?? 0 < number { try write(number, to: file) }
    } catch { /* The photo is on record all the same. */  }
  }
}
