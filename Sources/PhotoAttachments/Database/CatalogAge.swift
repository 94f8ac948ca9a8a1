import Glibc
package import Logging

/// Detects a catalog that is an earlier copy. It has no records of photos that were added after the copy was made, so a
/// sweep would delete their pictures.
///
/// Photos are numbered as they are recorded. A file in the cache folder holds the highest number. If the catalog never
/// assigned that number, it is an earlier copy.
extension Catalog {
  /// Notes the number of the last photo after a transaction that records photos is committed.
  package func noteNewest(_ t: Transaction) throws {
    guard let notes, let number = try t.rows("SELECT max(sequence) FROM photo").first?.number(0)
    else { return }
    t.afterCommit { notes.raise(to: number) }
  }

  /// Compares the catalog with the noted number. If it is an earlier copy, sweeps keep pictures without a record from then
  /// on.
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

/// A file in a cache folder that holds the number of the last photo.
package struct NewestPhotoNote: Sendable {
  private let path: String
  /// The number of digits in the file. It never changes, so one call overwrites all of them and needs no space.
  private static let width = 20

  /// - Parameter records: the ID of the database whose photos are numbered; `nil` for the folder's own catalog.
  package init(in folder: CacheFolder, of records: String? = nil) {
    path = folder.path + "/database/newest" + (records.map { "-" + $0 } ?? "")
  }

  private func open(_ flags: Int32) throws(StoreError) -> Int32 {
    try SystemCalls.open(path, flags: flags | O_NONBLOCK, mode: 0o600, path: path)
  }

  /// Returns the number; `nil` if none was written. If the file holds anything else, returns the highest number.
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

  /// Writes a number if it is higher than the noted one. If that fails, or if two processes write at the same time, the
  /// note is a few photos behind, and a copy that lacks only these photos isn't detected.
  func raise(to number: Int64) {
    do throws(StoreError) {
      let file = try open(O_RDWR | O_CREAT)
      defer { close(file) }
      if try read(file) ?? 0 < number { try write(number, to: file) }
    } catch { /* The photo is on record all the same. */  }
  }
}
