package import Foundation
import Glibc
import PhotoIngestion

/// Conditions for photos, and the order of the results.
public struct PhotoQuery: Sendable {
  /// The way in which a photo came into the store.
  public enum Source: String, Sendable, CaseIterable {
    /// An import found it in a folder.
    case `import`
    /// It was attached directly.
    case attach
  }

  /// The order of photos. Equal photos are sorted by the order in which they were stored, newest first.
  public enum Order: String, Sendable, CaseIterable {
    /// By the order in which they were stored, newest first.
    case stored
    /// By date taken, newest first. Photos without a date come last.
    case taken
    /// By folder and name.
    case name
  }

  /// Words that must all occur in the photo's folder or file name. Case and accents are ignored.
  public var words: [String] = []
  /// The first and last day on which a photo was taken, as `YYYY`, `YYYY-MM` or `YYYY-MM-DD`. An empty text leaves that
  /// end open.
  public var taken: (from: String, to: String)?
  /// An `fnmatch(3)` pattern for the folder in which an import found a photo, relative to the imported folder. `*` also
  /// matches `/`.
  public var folder: String?
  /// Limits the search to photos from this source.
  public var source: Source?
  /// The order of the results.
  public var order = Order.stored
  /// The maximum number of results.
  package var limit = Int.max
  /// The number of results to skip.
  package var offset = 0

  /// The number of rows that the database skips. That is all of `offset` if only library rows are searched.
  fileprivate var skippedRows: Int { source == .import ? offset : 0 }

  /// Creates a query for every photo.
  public init() {}

  /// Returns the folder of a path, relative to the outermost imported folder. For objects, it is relative to their
  /// bucket.
  static func folder(of path: [UInt8], _ roots: Set<[UInt8]>) -> String {
    let slash = UInt8(ascii: "/")
    guard let end = path.lastIndex(of: slash) else { return "" }
    let ends = path.indices.filter { path[$0] == slash && $0 <= end }
    let root = ends.first { roots.contains(Array(path[..<max($0, 1)])) }
    return String(decoding: path[min(root.map { $0 + 1 } ?? 0, end)..<end], as: UTF8.self)
      .precomposedStringWithCanonicalMapping
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

/// A folder and a name in which an import found a copy of a photo.
package struct FoundPlace: Sendable, Hashable {
  /// The folder relative to the imported folder. Empty for that folder itself.
  package var folder: String
  package var name: String

  package init(folder: String, name: String) {
    self.folder = folder
    self.name = name
  }
}

/// A photo and its origin.
package struct FoundPhoto: Sendable {
  /// The photo.
  package var photo: PhotoAttachmentMetadata
  /// All places in which imports found it. The first one matches the search. Empty for photos that weren't imported.
  package var places: [FoundPlace]
  /// The date on which it was taken. `nil` if no possible date is known.
  package var taken: TakenDate?
  /// The draft and the announcement that show it.
  package var holders: (draft: String?, announcement: String?)

  package init(photo: PhotoAttachmentMetadata, places: [FoundPlace], taken: TakenDate?) {
    self.photo = photo
    self.places = places
    self.taken = taken
  }

  /// The folder of the first place. `nil` for photos that weren't imported.
  package var folder: String? { places.first?.folder }
  /// The file name in the first place.
  package var name: String { places.first?.name ?? photo.facts.fileName }
  /// The day on which the photo was taken, `YYYY-MM-DD`.
  package var dayTaken: String? { taken.map { String($0.text.prefix(10)) } }
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

  /// Returns the photos that match a search with their places and dates, in the search's order.
  package func find(_ search: PhotoQuery, now: Date) throws(StoreError) -> [FoundRecord] {
    try database.read { t in
      try PhotoRows.groups(Self.rows(search, now: now, t), of: 500).flatMap { some in
        try Self.records(some, t)
      }
    }
  }

  /// Returns one photo with its places and its date, or `nil` if it isn't on record.
  func find(id: String, now: Date) throws(StoreError) -> FoundRecord? {
    try database.read { t in
      let rows = try t.rows(
        """
        SELECT photo.sequence, photo."id", folder, words, coalesce(taken, "sourceCapturedAt"),
          taken_from, NULL
        FROM photo LEFT JOIN library_photo ON library_photo.photo = photo."id"
        WHERE photo."id" = $1
        """, [.text(id)])
      return try Self.records(rows.map { FoundRow($0, folder: $0.text(2), now: now) }, t).first
    }
  }

  /// Returns the IDs of the photos that match a query, in its order.
  func ids(matching query: PhotoQuery, now: Date) throws(StoreError) -> [String] {
    try database.read { t in try Self.rows(query, now: now, t).map(\.id) }
  }

  /// Returns those of the photos that are on record, in the order of their IDs.
  func records(_ ids: [String]) throws(StoreError) -> [SealedRecord] {
    let known = try database.read { t in try Self.records(ids, t) }
    return ids.compactMap { known[$0] }
  }

  private static func records(
    _ ids: [String], _ t: Transaction
  ) throws -> [String: SealedRecord] {
    let records = try PhotoRows.fetchAll(
      t, "WHERE \"id\" \(t.dialect.among("$1"))", [.list(ids)])
    return Dictionary(records.map { ($0.id, $0) }) { first, _ in first }
  }

  private static func rows(
    _ search: PhotoQuery, now: Date, _ t: Transaction
  ) throws -> [FoundRow] {
    var rows = search.source == .attach ? [] : try library(search, t)
    if search.source != .import, search.folder == nil {
      rows += try selectAttached(search, now: now, t)
    }
    rows.sort { search.order.precedes($0, $1) }
    return Array(rows.dropFirst(search.offset - search.skippedRows).prefix(search.limit))
  }

  /// Returns the records of rows, with all places of each.
  private static func records(_ rows: [FoundRow], _ t: Transaction) throws -> [FoundRecord] {
    let known = try records(rows.map(\.id), t)
    let ids = FieldValue.list(rows.map(\.id))
    let places = try t.rows(
      """
      SELECT photo, folder, NULL, 0 AS is_copy FROM library_photo WHERE photo \(t.dialect.among("$1"))
      UNION ALL
      SELECT photo, folder, name, 1 FROM library_copy WHERE photo \(t.dialect.among("$1"))
      ORDER BY 4, 2, 3
      """, [ids])
    let others = Dictionary(grouping: places) { $0.text(0) ?? "" }
    return rows.compactMap { row in
      guard let record = known[row.id] else { return nil }
      func place(_ folder: String, _ name: String?) -> FoundPlace {
        FoundPlace(folder: folder, name: name ?? record.text("fileName") ?? "")
      }
      var all = row.folder.map { [place($0, row.name)] } ?? []
      for other in others[row.id] ?? [] {
        let found = place(other.text(1) ?? "", other.text(2))
        if !all.contains(found) { all.append(found) }
      }
      return FoundRecord(record: record, places: all, taken: row.date)
    }
  }

  /// Returns the library photos that match a search. The query reads a covering index.
  private static func library(_ search: PhotoQuery, _ t: Transaction) throws -> [FoundRow] {
    var values: [FieldValue] = []
    var conditions: [String] = []
    func add(_ value: FieldValue, _ condition: (String) -> String) {
      values.append(value)
      conditions.append(condition("$\(values.count)"))
    }
    for word in search.words {
      add(.text(PhotoQuery.folded(word))) { t.dialect.contains("words", $0) }
    }
    if let taken = search.taken {
      add(.text(taken.from)) { "taken >= \($0)" }
      // `~` sorts after every moment of the last day, month or year.
      if !taken.to.isEmpty { add(.text(taken.to + "~")) { "taken < \($0)" } }
    }
    if let pattern = search.folder.map(PhotoQuery.folded) {
      let folders = try t.rows(
        "SELECT folder FROM library_photo UNION SELECT folder FROM library_copy"
      ).compactMap { $0.text(0) }.filter { fnmatch(pattern, PhotoQuery.folded($0), 0) == 0 }
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
    var name = "NULL"
    if !conditions.isEmpty || search.order == .name {
      let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
      let end =
        search.order == .name ? "ORDER BY words LIMIT \(bound(most))" : "LIMIT \(Int64.max)"
      // Without words and folders, the first place of a photo is enough.
      let isOfPlaces = !search.words.isEmpty || search.folder != nil
      name = isOfPlaces ? "found.name" : name
      found =
        isOfPlaces
        ? "(\(matchingPlaces(condition)) \(end))"
        : "(SELECT photo, folder, words, taken, taken_from FROM library_photo \(condition) \(end))"
    }
    let page = "LIMIT \(bound(most - search.skippedRows)) OFFSET \(bound(search.skippedRows))"
    return try t.rows(
      """
      SELECT photo.sequence, photo."id", found.folder, found.words, found.taken, found.taken_from,
        \(name)
      FROM \(found) AS found JOIN photo ON photo."id" = found.photo
      ORDER BY \(search.order.columns) \(page)
      """, values
    ).map { FoundRow($0, folder: $0.text(2) ?? "") }
  }

  /// Returns the SQL that selects one matching place of each photo, its first one if that matches.
  private static func matchingPlaces(_ condition: String) -> String {
    """
    SELECT photo, folder, words, taken, taken_from, name FROM (
      SELECT place.*, row_number() OVER (PARTITION BY photo ORDER BY is_copy, folder, words) AS rank
      FROM (
        SELECT * FROM (
          SELECT photo, folder, words, taken, taken_from, NULL AS name, 0 AS is_copy
          FROM library_photo) AS one \(condition)
        UNION ALL
        SELECT * FROM (
          SELECT library_copy.photo, library_copy.folder, library_copy.words, taken, taken_from, name,
            1 AS is_copy
          FROM library_copy JOIN library_photo ON library_photo.photo = library_copy.photo
        ) AS other \(condition)) AS place) AS ranked
    WHERE rank = 1
    """
  }

  /// Returns the photos that match a search and that drafts or rows of other tables refer to.
  private static func selectAttached(
    _ search: PhotoQuery, now: Date, _ t: Transaction
  ) throws -> [FoundRow] {
    let words = search.words.map(PhotoQuery.folded)
    let others = try t.fetch(PhotoReference.all(t)).map { " UNION \($0.ids)" }
    return try t.rows(
      """
      SELECT photo.sequence, photo."id", "fileName", "fileName", "sourceCapturedAt", NULL, NULL
      FROM photo
      WHERE photo."id" IN (
          SELECT photo FROM attachment WHERE photo IS NOT NULL\(others.joined()))
        AND NOT EXISTS (SELECT 1 FROM library_photo WHERE library_photo.photo = photo."id")
      """
    ).map { row in
      var found = FoundRow(row, folder: nil, now: now)
      found.words = PhotoQuery.folded(found.words)
      return found
    }
    .filter { row in
      let isTaken = search.taken.map { taken in
        row.taken.map { $0 >= taken.from && (taken.to.isEmpty || $0 < taken.to + "~") } ?? false
      }
      return isTaken ?? true && words.allSatisfy { row.words.contains($0) }
    }
  }

  /// Returns the perceptual hashes of library photos in storage order, and the sizes of their blobs.
  func perceptualHashes() throws(StoreError) -> [(id: UUID, hash: Int64, width: Int, height: Int)] {
    try database.rows(
      """
      SELECT photo."id", perceptual_hash, "blobWidth", "blobHeight"
      FROM library_photo JOIN photo ON photo."id" = library_photo.photo
      ORDER BY sequence
      """
    ).compactMap { row in
      guard let id = row.id(0), let hash = row.number(1), let width = row.number(2),
        let height = row.number(3)
      else { return nil }
      return (id, hash, Int(width), Int(height))
    }
  }

  /// A query for the imported folders.
  static var roots: Query<Set<[UInt8]>> {
    Query("SELECT path FROM import_root") { answer in
      Set(answer.rows.compactMap { $0.data(0).map { Array($0) } })
    }
  }
}

/// A photo's record with its places and its date.
package struct FoundRecord: Sendable {
  package var record: SealedRecord
  package var places: [FoundPlace]
  package var taken: TakenDate?
}

/// The values by which results are sorted.
private struct FoundRow {
  let sequence: Int64
  let id: String
  /// The folder of the place that matched.
  let folder: String?
  /// The name in that place. `nil` if it is the first one.
  let name: String?
  /// The folder and name in the form that is compared.
  var words: String
  let date: TakenDate?
  var taken: String? { date?.text }

  /// Creates a row from columns: sequence, id, folder, words, date, its source, name.
  ///
  /// - Parameter now: the time that dates without a source have to precede. They are those of the photos themselves.
  init(_ row: ResultRow, folder: String?, now: Date? = nil) {
    sequence = row.number(0) ?? 0
    id = row.text(1) ?? ""
    self.folder = folder
    words = row.text(3) ?? ""
    let source = row.text(5).flatMap(TakenDate.Source.init(rawValue:))
    let date = row.text(4).map { TakenDate($0, from: source ?? .exif) }
    self.date = if source == nil, let now { TakenDate.best(of: [date], now: now) } else { date }
    name = row.text(6)
  }
}

extension PhotoQuery.Order {
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
