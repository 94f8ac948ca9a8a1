import Foundation
import Glibc
import PhotoIngestion

/// A search for photos, with the order and the page of its results.
package struct PhotoSearch: Sendable {
  /// The way in which a photo came into the store.
  package enum Source: String, Sendable, CaseIterable {
    /// An import found it in a folder.
    case `import`
    /// It was attached directly.
    case attach
  }

  /// The order of photos. Equal photos are sorted by the order in which they were stored, newest first.
  package enum Order: String, Sendable, CaseIterable {
    /// By the order in which they were stored, newest first.
    case stored
    /// By date taken, newest first. Photos without a date come last.
    case taken
    /// By folder and name.
    case name
  }

  /// Words that must all occur in the photo's folder or file name. Case and accents are ignored.
  package var words: [String] = []
  /// The first and last day on which a photo was taken, as `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. An empty text leaves that
  /// end open.
  package var taken: (from: String, to: String)?
  /// An `fnmatch(3)` pattern for the folder in which an import found a photo, relative to the imported folder. `*` also
  /// matches `/`.
  package var folder: String?
  /// Limits the search to photos from this source.
  package var source: Source?
  /// The order of the results.
  package var order = Order.stored
  /// The maximum number of results.
  package var limit = Int.max
  /// The number of results to skip.
  package var offset = 0

  /// The number of rows that the database skips. That is all of `offset` if only library rows are searched.
  fileprivate var skippedRows: Int { source == .import ? offset : 0 }

  /// Creates a search that finds every photo.
  package init() {}

  /// Returns the folder of a path, relative to the outermost imported folder. For objects, it is relative to their
  /// bucket.
  static func folder(of path: [UInt8], _ roots: Set<[UInt8]>) -> String {
    let slash = UInt8(ascii: "/")
    guard let end = path.lastIndex(of: slash) else { return "" }
    let ends = path.indices.filter { path[$0] == slash && $0 <= end }
    let root = ends.first { roots.contains(Array(path[..<max($0, 1)])) }
    return String(decoding: path[min(root.map { $0 + 1 } ?? 0, end)..<end], as: UTF8.self)
  }

  /// Returns a text without differences of case, accents and Unicode composition.
  static func folded(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
    var folded = String.UnicodeScalarView()
    for scalar in text.lowercased().decomposedStringWithCanonicalMapping.unicodeScalars
    where scalar.properties.canonicalCombiningClass == .notReordered {
      // Letters with a stroke can't be decomposed.
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

/// A photo and its origin.
package struct FoundPhoto: Sendable {
  /// The photo.
  package var photo: PhotoAttachmentMetadata
  /// The folder in which an import found the photo, relative to the imported folder and empty for that folder itself.
  /// `nil` for photos that weren't imported.
  package var folder: String?
  /// The draft and the announcement that show it.
  package var holders: (draft: String?, announcement: String?)

  package init(photo: PhotoAttachmentMetadata, folder: String?) {
    self.photo = photo
    self.folder = folder
  }
}

extension PhotoAttachmentMetadata {
  /// The day on which the photo was taken, `YYYY-MM-DD`; `nil` if the photo has no date.
  package var dayTaken: String? { facts.source.capturedAt.map { String($0.prefix(10)) } }
}

extension Catalog {
  /// Records imported folders.
  func insert(roots: [Data]) throws(StoreError) {
    let known = try database.read { try $0.fetch(Self.roots) }
    let new = roots.filter { !known.contains(Array($0)) }
    if new.isEmpty { return }
    try database.write { t in
      for root in new {
        try t.execute(
          "INSERT INTO import_root (origin, path) VALUES ($1, $2) ON CONFLICT DO NOTHING",
          [.text(origin), .data(root)])
      }
    }
  }

  /// Returns the photos that match a search, and their folders, in the search's order.
  func find(_ search: PhotoSearch) throws(StoreError) -> [(record: SealedRecord, folder: String?)] {
    try database.read { t in
      var rows = search.source == .attach ? [] : try Self.library(search, t)
      if search.source != .import, search.folder == nil {
        rows += try Self.selectAttached(search, t)
      }
      rows.sort { search.order.precedes($0, $1) }
      let some = rows.dropFirst(search.offset - search.skippedRows).prefix(search.limit)
      return try PhotoRows.groups(Array(some), of: 500).flatMap { some in
        let ids = FieldValue.list(some.map(\.id))
        let records = try PhotoRows.fetchAll(t, "WHERE \"id\" \(t.dialect.among("$1"))", [ids])
        let known = Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
        return some.compactMap { row in known[row.id].map { ($0, row.folder) } }
      }
    }
  }

  /// Returns the library photos that match a search. The query reads a covering index.
  private static func library(_ search: PhotoSearch, _ t: Transaction) throws -> [FoundRow] {
    var values: [FieldValue] = []
    var conditions: [String] = []
    func add(_ value: FieldValue, _ condition: (String) -> String) {
      values.append(value)
      conditions.append(condition("$\(values.count)"))
    }
    for word in search.words {
      add(.text(PhotoSearch.folded(word))) { t.dialect.contains("words", $0) }
    }
    if let taken = search.taken {
      add(.text(taken.from)) { "taken >= \($0)" }
      // `~` sorts after every moment of the last day, month or year.
      if !taken.to.isEmpty { add(.text(taken.to + "~")) { "taken < \($0)" } }
    }
    if let pattern = search.folder.map(PhotoSearch.folded) {
      let folders = try t.rows("SELECT DISTINCT folder FROM library_photo")
        .compactMap { $0.text(0) }.filter { fnmatch(pattern, PhotoSearch.folded($0), 0) == 0 }
      add(.list(folders)) { "folder \(t.dialect.among($0))" }
    }
    let (sum, isBeyond) = search.limit.addingReportingOverflow(search.offset)
    let most = isBeyond ? .max : sum
    // Parameters, so that all pages of a list share one cached statement.
    func bound(_ number: Int) -> String {
      values.append(.int(Int64(number)))
      return "$\(values.count)"
    }
    // The inner LIMIT makes the database run this subquery first, instead of starting the join with `photo`.
    var found = "library_photo"
    if !conditions.isEmpty || search.order == .name {
      let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
      let end =
        search.order == .name ? "ORDER BY words LIMIT \(bound(most))" : "LIMIT \(Int64.max)"
      found = "(SELECT photo, folder, words, taken FROM library_photo \(condition) \(end))"
    }
    let page = "LIMIT \(bound(most - search.skippedRows)) OFFSET \(bound(search.skippedRows))"
    return try t.rows(
      """
      SELECT photo.sequence, photo."id", found.folder, found.words, found.taken
      FROM \(found) AS found JOIN photo ON photo."id" = found.photo
      ORDER BY \(search.order.columns) \(page)
      """, values
    ).map { FoundRow($0, folder: $0.text(2) ?? "", words: $0.text(3) ?? "") }
  }

  /// Returns the photos that match a search and that drafts or rows of other tables refer to.
  private static func selectAttached(_ search: PhotoSearch, _ t: Transaction) throws -> [FoundRow] {
    let words = search.words.map(PhotoSearch.folded)
    let others = try t.fetch(PhotoReference.all(t)).map {
      " UNION SELECT \($0.column) FROM \($0.table) WHERE \($0.column) IS NOT NULL"
    }
    return try t.rows(
      """
      SELECT photo.sequence, photo."id", "fileName", NULL, "sourceCapturedAt" FROM photo
      WHERE photo."id" IN (
          SELECT photo FROM attachment WHERE photo IS NOT NULL\(others.joined()))
        AND NOT EXISTS (SELECT 1 FROM library_photo WHERE library_photo.photo = photo."id")
      """
    ).map { FoundRow($0, folder: nil, words: PhotoSearch.folded($0.text(2) ?? "")) }
      .filter { row in
        let isTaken = search.taken.map { taken in
          row.taken.map { $0 >= taken.from && (taken.to.isEmpty || $0 < taken.to + "~") } ?? false
        }
        return isTaken ?? true && words.allSatisfy { row.words.contains($0) }
      }
  }

  /// Returns the perceptual hashes of library photos in storage order.
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

  /// Returns the folder of one photo.
  func folder(of id: String) throws(StoreError) -> String? {
    try database.rows("SELECT folder FROM library_photo WHERE photo = $1", [.text(id)])
      .first?.text(0)
  }

  /// A query for the imported folders.
  static var roots: Query<Set<[UInt8]>> {
    Query("SELECT path FROM import_root") { answer in
      Set(answer.rows.compactMap { $0.data(0).map { Array($0) } })
    }
  }
}

/// The values by which results are sorted.
private struct FoundRow {
  let sequence: Int64
  let id: String
  let folder: String?
  /// The folder and name in the form that is compared.
  let words: String
  let taken: String?

  init(_ row: ResultRow, folder: String?, words: String) {
    sequence = row.number(0) ?? 0
    id = row.text(1) ?? ""
    self.folder = folder
    self.words = words
    taken = row.text(4)
  }
}

extension PhotoSearch.Order {
  fileprivate var columns: String {
    switch self {
    case .stored: "sequence DESC"
    case .taken: "found.taken DESC NULLS LAST, sequence DESC"
    case .name: "found.words, sequence DESC"
    }
  }

  fileprivate func precedes(_ one: FoundRow, _ other: FoundRow) -> Bool {
    switch self {
    case .stored: one.sequence > other.sequence
    case .taken: (one.taken ?? "", one.sequence) > (other.taken ?? "", other.sequence)
    case .name: (one.words, other.sequence) < (other.words, one.sequence)
    }
  }
}
