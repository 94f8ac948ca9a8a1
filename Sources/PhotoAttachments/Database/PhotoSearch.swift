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
  /// How many to leave out at the beginning.
  package var offset = 0

  /// How many of the library's rows the database leaves out: all of `offset` where no others are among them.
  fileprivate var skippedRows: Int { source == .import ? offset : 0 }

  /// A search that finds every photo.
  package init() {}

  /// The folder of a path from the outermost imported one on; of objects, from their bucket on.
  static func folder(of path: [UInt8], _ roots: Set<[UInt8]>) -> String {
    let slash = UInt8(ascii: "/")
    guard let end = path.lastIndex(of: slash) else { return "" }
    let ends = path.indices.filter { path[$0] == slash && $0 <= end }
    let root = ends.first { roots.contains(Array(path[..<max($0, 1)])) }
    return String(decoding: path[min(root.map { $0 + 1 } ?? 0, end)..<end], as: UTF8.self)
  }

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
  /// The draft, and the announcement, that show it.
  package var holders: (draft: String?, announcement: String?)

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

  /// Adds the draft and the announcement that show each photo. Blocks.
  package func addHolders(to photos: inout [FoundPhoto]) throws(StoreError) {
    let ids = FieldValue.list(photos.map(\.photo.id.uuidString))
    let (drafts, announcements) = try catalog.database.read { t in
      func names(_ columns: String, from table: String, by photo: String) throws -> [UUID: String] {
        let sql = "SELECT \(columns) FROM \(table) WHERE \(photo) \(t.dialect.among("$1"))"
        return try t.rows(sql, [ids]).reduce(into: [:]) { names, row in
          if let id = row.id(0) { names[id] = row.text(1) }
        }
      }
      return try (
        names("photo, draft", from: "attachment", by: "photo"),
        names("photo_id, id", from: "announcement", by: "photo_id")
      )
    }
    for index in photos.indices {
      let id = photos[index].photo.id
      photos[index].holders = (drafts[id], announcements[id])
    }
  }

  /// How many library photos were taken in each month (`YYYY-MM`, the last first, nil without a date), and how
  /// many came from each folder.
  package func libraryCounts() async throws(StoreError) -> (
    months: [(month: String?, count: Int)], folders: [(folder: String, count: Int)]
  ) {
    try await threads.finish { [catalog] in
      let months = try catalog.database.rows(
        """
        SELECT substr(taken, 1, 7) AS month, count(*) FROM library_photo
        GROUP BY month ORDER BY month DESC NULLS LAST
        """)
      let folders = try catalog.database.rows(
        "SELECT folder, count(*) FROM library_photo GROUP BY folder ORDER BY folder LIMIT 1000")
      return (
        months.map { ($0.text(0), Int($0.number(1) ?? 0)) },
        folders.map { ($0.text(0) ?? "", Int($0.number(1) ?? 0)) }
      )
    }
  }

  /// Groups of library photos that look alike: the first stored of each, and those whose perceptual hashes
  /// differ from it in at most `distance` bits. Blocks.
  package func lookAlikes(distance: Int) throws(StoreError) -> [[(id: UUID, distance: Int)]] {
    var groups: [[(id: UUID, distance: Int)]] = []
    var firsts = HashIndex(distance: distance)
    for (id, hash) in try catalog.perceptualHashes() {
      if let (group, bits) = firsts.find(hash) {
        groups[group].append((id, bits))
      } else {
        firsts.append(hash)
        groups.append([(id, 0)])
      }
    }
    return groups.filter { $0.count > 1 }
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
    let known = try database.read { try $0.ask(Self.roots) }
    let new = roots.filter { !known.contains(Array($0)) }
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
    try database.read { t in
      var rows = search.source == .attach ? [] : try Self.library(search, t)
      if search.source != .import, search.folder == nil { rows += try Self.attached(search, t) }
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

  /// Library photos that a search finds, by an index that has all that is looked for.
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
      // Behind every moment of the last day, month or year.
      if !taken.to.isEmpty { add(.text(taken.to + "~")) { "taken < \($0)" } }
    }
    if let pattern = search.folder.map(PhotoSearch.folded) {
      let folders = try t.rows("SELECT DISTINCT folder FROM library_photo")
        .compactMap { $0.text(0) }.filter { fnmatch(pattern, PhotoSearch.folded($0), 0) == 0 }
      add(.list(folders)) { "folder \(t.dialect.among($0))" }
    }
    let (sum, isBeyond) = search.limit.addingReportingOverflow(search.offset)
    let most = isBeyond ? .max : sum
    // Bound, so that the pages of a list share one cached statement.
    func bound(_ number: Int) -> String {
      values.append(.int(Int64(number)))
      return "$\(values.count)"
    }
    // The limit inside keeps what is found first from being joined the other way round.
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

  /// Photos that a search finds among those that drafts and announcements show.
  private static func attached(_ search: PhotoSearch, _ t: Transaction) throws -> [FoundRow] {
    let words = search.words.map(PhotoSearch.folded)
    return try t.rows(
      """
      SELECT photo.sequence, photo."id", "fileName", NULL, "sourceCapturedAt" FROM photo
      WHERE photo."id" IN (SELECT photo FROM attachment WHERE photo IS NOT NULL
          UNION SELECT photo_id FROM announcement WHERE photo_id IS NOT NULL)
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
    try database.rows("SELECT folder FROM library_photo WHERE photo = $1", [.text(id)])
      .first?.text(0)
  }

  /// Folders that were imported.
  static var roots: Query<Set<[UInt8]>> {
    Query("SELECT path FROM import_root") { answer in
      Set(answer.rows.compactMap { $0.data(0).map { Array($0) } })
    }
  }
}

/// What a search sorts by.
private struct FoundRow {
  let sequence: Int64
  let id: String
  let folder: String?
  /// Folder and name, as they are compared.
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
