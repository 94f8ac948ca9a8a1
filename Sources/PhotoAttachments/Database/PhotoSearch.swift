package import Foundation
import Glibc
import PhotoIngestion

/// What photos are looked for, and in which order they are listed.
package struct PhotoSearch: Sendable {
  /// How a photo came into the store.
  package enum Source: String, Sendable, CaseIterable {
    /// An import found it in a folder.
    case `import`
    /// It was attached by itself.
    case attach
  }

  /// How photos are sorted; what is equal stands as it was stored, the newest first.
  package enum Order: String, Sendable, CaseIterable {
    /// The last stored first.
    case stored
    /// The last taken first, those without a date at the end.
    case taken
    /// By folder and name.
    case name
  }

  /// Each has to be in the file's name or its folder; case and accents do not count.
  package var words: [String] = []
  /// First and last day on which a photo was taken, `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; an empty end is open.
  package var taken: (from: String, to: String)?
  /// A pattern of `fnmatch(3)` for the folder in which an import found a photo, from the imported one on;
  /// `*` also stands for `/`.
  package var folder: String?
  /// Only photos that came like this.
  package var source: Source?
  /// How they are sorted.
  package var order = Order.stored
  /// How many, at most.
  package var limit = Int.max

  /// A search that finds every photo.
  package init() {}

  /// A text in which case and accents do not count, composed or not.
  static func folded(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    var folded = String.UnicodeScalarView()
    for scalar in text.lowercased().decomposedStringWithCanonicalMapping.unicodeScalars
    where scalar.properties.canonicalCombiningClass == .notReordered {
      // Letters with a stroke have no decomposition.
      switch scalar {
      case "ł": folded.append("l")
      case "ø": folded.append("o")
      case "đ": folded.append("d")
      default: folded.append(scalar)
      }
    }
    return String(folded)
  }
}

/// A photo, and where it came from.
package struct FoundPhoto: Sendable {
  /// The photo.
  package var photo: PhotoAttachmentMetadata
  /// The folder in which an import found it, from the imported one on, empty for that one itself; nil for
  /// photos that were not imported.
  package var folder: String?

  package init(photo: PhotoAttachmentMetadata, folder: String?) {
    self.photo = photo
    self.folder = folder
  }
}

extension PhotoAttachmentMetadata {
  /// The day on which it was taken, `YYYY-MM-DD`, nil where the photo does not say.
  package var dayTaken: String? { facts.source.capturedAt.map { String($0.prefix(10)) } }
}

extension PhotoAttachmentCache {
  /// The photos that a search finds.
  ///
  /// - Throws: `StoreError` when records cannot be read.
  package func photos(_ search: PhotoSearch) async throws(StoreError) -> [FoundPhoto] {
    try await threads.finish { [self] in
      try catalog.find(search).map { found in
        FoundPhoto(photo: try metadata(of: found.record), folder: found.folder)
      }
    }
  }

  /// Groups of library photos that look alike: the first stored of each, and those whose perceptual hashes
  /// differ from it in at most `distance` bits. Blocks.
  package func lookAlikes(distance: Int) throws(StoreError) -> [[(id: UUID, distance: Int)]] {
    let hashes = try catalog.perceptualHashes()
    var groups: [[(id: UUID, distance: Int)]] = []
    var isTaken = [Bool](repeating: false, count: hashes.count)
    for first in hashes.indices where !isTaken[first] {
      var group = [(id: hashes[first].id, distance: 0)]
      for other in (first + 1)..<hashes.count where !isTaken[other] {
        let bits = (hashes[first].hash ^ hashes[other].hash).nonzeroBitCount
        if bits > distance { continue }
        isTaken[other] = true
        group.append((hashes[other].id, bits))
      }
      if group.count > 1 { groups.append(group) }
    }
    return groups
  }

  /// A photo with its folder; nil when there is none on record. Blocks.
  package func found(_ id: UUID) throws(StoreError) -> FoundPhoto? {
    guard let record = try catalog.photo(id: id.uuidString) else { return nil }
    return FoundPhoto(photo: try metadata(of: record), folder: try folder(of: id))
  }

  /// Where an import found a photo, see `FoundPhoto.folder`. Blocks.
  package func folder(of photo: UUID) throws(StoreError) -> String? {
    try catalog.folder(of: photo.uuidString)
  }
}

extension Catalog {
  /// Records folders that are imported.
  func insert(roots: [Data]) throws(StoreError) {
    let known = Set(try database.rows("SELECT path FROM import_root").compactMap { $0.data(0) })
    let new = roots.filter { !known.contains($0) }
    if new.isEmpty { return }
    try database.write { t in
      for root in new {
        try t.run(
          "INSERT INTO import_root (origin, path) VALUES ($1, $2) ON CONFLICT DO NOTHING",
          [.text(origin), .data(root)])
      }
    }
  }

  /// Photos that a search finds, and their folders, in its order.
  func find(_ search: PhotoSearch) throws(StoreError) -> [(record: SealedRecord, folder: String?)] {
    let words = search.words.map(PhotoSearch.folded)
    let pattern = search.folder.map(PhotoSearch.folded)
    return try database.read { t in
      let roots = try Self.roots(t)
      var rows: [Row] = []
      // What finds every photo reads no more than it shows.
      let isPlain =
        words.isEmpty && search.taken == nil && pattern == nil && search.source == nil
        && search.order == .stored
      for row in try t.rows(Self.places() + (isPlain ? " LIMIT \(search.limit)" : "")) {
        let found = Row(row, roots)
        if let taken = search.taken, !found.isTaken(from: taken.from, to: taken.to) { continue }
        if let source = search.source, (found.folder != nil) != (source == .import) { continue }
        if let pattern {
          guard let folder = found.folder,
            fnmatch(pattern, PhotoSearch.folded(folder), 0) == 0
          else { continue }
        }
        if !words.isEmpty {
          let text = PhotoSearch.folded(found.path)
          guard words.allSatisfy({ text.contains($0) }) else { continue }
        }
        rows.append(found)
      }
      switch search.order {
      case .stored: break
      case .taken:
        rows.sort { ($0.taken ?? "", $0.sequence) > ($1.taken ?? "", $1.sequence) }
      case .name:
        let keys = rows.map { PhotoSearch.folded($0.path) }
        rows = rows.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }.map { rows[$0] }
      }
      return try PhotoRows.groups(Array(rows.prefix(search.limit)), of: 500).flatMap { some in
        let ids = FieldValue.list(some.map(\.id))
        let records = try PhotoRows.fetchAll(t, "WHERE \"id\" \(t.dialect.among("$1"))", [ids])
        let known = Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
        return some.compactMap { row in known[row.id].map { ($0, row.folder) } }
      }
    }
  }

  /// Perceptual hashes of the library's photos, in the order in which they were stored.
  func perceptualHashes() throws(StoreError) -> [(id: UUID, hash: Int64)] {
    try database.rows(
      """
      SELECT photo."id", perceptual_hash FROM library_photo JOIN photo ON photo."id" = library_photo.photo
      ORDER BY sequence
      """
    ).compactMap { row in
      guard let id = row.id(0), let hash = row.number(1) else { return nil }
      return (id, hash)
    }
  }

  /// The folder of one photo.
  func folder(of id: String) throws(StoreError) -> String? {
    try database.read { t in
      let roots = try Self.roots(t)
      return try t.rows(Self.places("WHERE photo.\"id\" = $1"), [.text(id)]).first
        .flatMap { Row($0, roots).folder }
    }
  }

  private static func roots(_ t: Transaction) throws -> Set<[UInt8]> {
    Set(try t.rows("SELECT path FROM import_root").compactMap { $0.data(0).map { Array($0) } })
  }

  /// What `Row` reads.
  private static func places(_ condition: String = "") -> String {
    """
    SELECT photo.sequence, photo."id", "fileName", "sourceCapturedAt",
      library_photo.photo IS NOT NULL,
      (SELECT path FROM source_file WHERE source_file.photo = photo."id" AND tier IS NULL
        ORDER BY path LIMIT 1)
    FROM photo LEFT JOIN library_photo ON library_photo.photo = photo."id"
    \(condition) ORDER BY photo.sequence DESC
    """
  }

  private struct Row {
    let sequence: Int64
    let id: String
    let taken: String?
    let folder: String?
    /// Folder and name.
    let path: String

    init(_ row: ResultRow, _ roots: Set<[UInt8]>) {
      sequence = row.number(0) ?? 0
      id = row.text(1) ?? ""
      taken = row.text(3)
      let name = row.text(2) ?? ""
      folder = row.isTrue(4) ? row.data(5).map { Self.folder(Array($0), roots) } ?? "" : nil
      path = folder.map { $0.isEmpty ? name : $0 + "/" + name } ?? name
    }

    /// The folder of a path from the outermost imported one on; of objects, from their bucket on.
    private static func folder(_ path: [UInt8], _ roots: Set<[UInt8]>) -> String {
      let slash = UInt8(ascii: "/")
      guard let end = path.lastIndex(of: slash) else { return "" }
      let ends = path.indices.filter { path[$0] == slash && $0 <= end }
      let root = ends.first { roots.contains(Array(path[..<max($0, 1)])) }
      return String(decoding: path[min(root.map { $0 + 1 } ?? 0, end)..<end], as: UTF8.self)
    }

    /// Whether it was taken between two days, both included.
    func isTaken(from: String, to: String) -> Bool {
      guard let day = taken?.prefix(10) else { return false }
      return (from.isEmpty || day >= from) && (to.isEmpty || day.prefix(to.count) <= to)
    }
  }
}
