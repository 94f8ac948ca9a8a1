import Glibc
package import Logging
import PhotoIngestion

/// Detects a catalog that was restored from an earlier copy. Such a catalog lacks the photos that were added after the
/// copy was made, so a sweep would delete their pictures.
///
/// Photos are numbered as they are recorded, and the cache folder notes the highest number. If the catalog never
/// assigned that number, it is an earlier copy. From then on it assigns only higher numbers, so that further copies are
/// detected too.
extension Catalog {
  /// Notes the number of the last photo after a transaction that records photos commits.
  package func noteNewest(_ t: Transaction) throws {
    guard let notes, let number = try t.rows("SELECT max(sequence) FROM photo").first?.number(0)
    else { return }
    // A higher note may come from another process that was faster. But if this catalog never assigned the number, its
    // records were replaced by an earlier copy.
    let known = try notes.readNotes()
    if known.newest > number, let last = try lastNumber(t), known.newest > last {
      try keepPictures(known.newest, t)
    }
    t.afterCommit { notes.raise(to: number, from: known) }
  }

  /// Compares the catalog with the noted number. If it is an earlier copy, sweeps keep pictures without a record from
  /// then on.
  package func checkAge(_ logger: Logger) throws(StoreError) {
    guard let notes, let last = try database.read({ try lastNumber($0) }) else { return }
    let known = try notes.readNotes()
    notes.raise(to: last, from: known)
    if known.newest <= last { return }
    try database.write { try keepPictures(known.newest, $0) }
    logger.warning(
      "the catalog is an earlier copy; pictures that are there are kept without a record",
      metadata: ["photos": "\(last)", "recorded": "\(known.newest)"])
  }

  /// Returns the highest number ever assigned; `nil` if this user isn't allowed to read it.
  private func lastNumber(_ t: Transaction) throws -> Int64? {
    let rows = try t.rows(t.dialect.lastPhotoNumber)
    return rows.isEmpty ? 0 : rows.first?.number(0)
  }

  /// Makes sweeps keep pictures without a record, and new photos start after the noted number.
  private func keepPictures(_ noted: Int64, _ t: Transaction) throws {
    try t.execute("UPDATE store SET found_pictures = (1 = 1)")
    try t.fetch(Query(asking: t.dialect.skippingPhotoNumbers(to: noted)))
  }
}

/// The number of the last photo, stored as the name of an empty file in a cache folder.
///
/// If an earlier state is copied over the folder, it adds a file with a lower number, and the highest number still
/// counts.
package struct NewestPhotoNote: Sendable {
  private let folder: String
  private let records: String
  /// The number of digits in a name.
  private static let width = 19

  /// The names of the notes in a folder, and their numbers.
  struct Known: Sendable {
    fileprivate var numbers: [String: Int64] = [:]
    /// The highest number; 0 without a note.
    var newest: Int64 { numbers.values.max() ?? 0 }
  }

  /// - Parameter records: the ID of the database whose photos are numbered; empty for the folder's own catalog.
  package init(in folder: CacheFolder, of records: String = "") {
    self.folder = folder.path + "/newest"
    self.records = records
  }

  /// Returns the notes. Ignores files with other names.
  func readNotes() throws(StoreError) -> Known {
    var known = Known()
    for name in try CacheFolder(path: folder).entries(of: ".") {
      known.numbers[name] = number(of: name)
    }
    return known
  }

  private func number(of name: String) -> Int64? {
    let digits = name.suffix(Self.width)
    guard digits.utf8.count == Self.width, name.dropLast(Self.width) == records + "-" else {
      return nil
    }
    return Int64(digits)
  }

  /// Notes a number if it is higher than the known ones, then deletes these. If that fails, the note is a few photos
  /// behind, and a copy that lacks only these photos isn't detected.
  func raise(to number: Int64, from known: Known) {
    if number <= known.newest { return }
    do throws(StoreError) {
      if mkdir(folder, 0o700) != 0, errno != EEXIST { return }
      let directory = try SystemCalls.open(folder, flags: O_DIRECTORY, path: folder)
      defer { close(directory) }
      let digits = String(number)
      let name = records + "-" + String(repeating: "0", count: Self.width - digits.count) + digits
      close(
        try SystemCalls.open(
          name, in: directory, flags: O_WRONLY | O_CREAT, mode: 0o600, path: folder))
      for old in known.numbers.keys { unlinkat(directory, old, 0) }
    } catch { /* The photo is on record anyway. */  }
  }
}
