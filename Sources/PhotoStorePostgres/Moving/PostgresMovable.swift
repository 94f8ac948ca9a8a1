package import Foundation
package import PhotoAttachments
import ReportFlow
import Records

/// The records of a database as a move reads and writes them.
package struct PostgresMovable: MovableRecords {
  private let catalog: PostgresCatalog
  private var database: PostgresDatabase { catalog.server }

  /// All records of the database of `catalog`.
  package init(_ catalog: PostgresCatalog) { self.catalog = catalog }

  package var place: String { "postgresql \(catalog.id)" }

  package func rows(
    _ kind: MovedKind, after place: [FieldValue]?, limit: Int
  ) throws(StoreError) -> [MovedRow] {
    let (table, order) = (MovedTable(kind), kind.order.joined(separator: ", "))
    var (conditions, values) = own(kind)
    if let place {
      let marks = place.indices.map { "$\(values.count + $0 + 1)" }.joined(separator: ", ")
      conditions.append("(\(order)) > (\(marks))")
      values += place
    }
    let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    values.append(FieldValue(limit))
    return try database.rows(
      """
      SELECT \(table.reading) FROM \(table.name) \(filter)
      ORDER BY \(order) LIMIT $\(values.count)
      """, values
    ).map { MovedRow(kind, $0.values) }
  }

  package func rows(
    _ kind: MovedKind, keys: [[FieldValue]]
  ) throws(StoreError) -> [MovedRow] {
    if keys.isEmpty { return [] }
    let table = MovedTable(kind)
    var (conditions, values) = own(kind)
    let type = kind == .files ? "bytea" : "text"
    var marks: [String] = []
    for key in keys {
      marks.append(
        "(" + key.indices.map { "$\(values.count + $0 + 1)::\(type)" }.joined(separator: ", ") + ")"
      )
      values += key
    }
    conditions.append(
      "(\(kind.key.joined(separator: ", "))) IN (VALUES \(marks.joined(separator: ", ")))")
    return try database.rows(
      """
      SELECT \(table.reading) FROM \(table.name) WHERE \(conditions.joined(separator: " AND "))
      """, values
    ).map { MovedRow(kind, $0.values) }
  }

  /// Another machine's files mean nothing elsewhere.
  private func own(_ kind: MovedKind) -> (conditions: [String], values: [FieldValue]) {
    guard kind == .files else { return ([], []) }
    return (["origin IN ($1, $2)"], [.text(catalog.origin), .text(PostgresCatalog.ofStores)])
  }

  package func erased(
    _ rows: [MovedRow], of kind: MovedKind
  ) throws(StoreError) -> [MovedRow] {
    try database.read { try Self.erased(rows, of: kind, $0) }
  }

  private static func erased(
    _ rows: [MovedRow], of kind: MovedKind, _ t: Transaction
  ) throws -> [MovedRow] {
    let found = try t.ask(Erasures.among(rows.flatMap { $0.marks(kind) }, t.dialect))
    return rows.filter { !found.isDisjoint(with: $0.marks(kind)) }
  }

  package func erased(photos ids: [String]) throws(StoreError) -> Set<String> {
    try database.read { try Self.erased(photos: ids, $0) }
  }

  private static func erased(
    photos ids: [String], _ t: Transaction
  ) throws -> Set<String> {
    let found = try t.ask(Erasures.among(ids.map(ErasureMark.photo), t.dialect))
    return Set(ids.filter { found.contains(ErasureMark.photo($0)) })
  }

  package func add(
    _ rows: [MovedRow], to kind: MovedKind
  ) throws(StoreError) -> [BlobPath] {
    if kind == .erasures { return try erase(rows.compactMap { $0.fields["mark"]?.text }) }
    try database.write { t in
      try t.hold(.newRecords)
      let erased = try Self.erased(rows, of: kind, t)
      try add(rows.filter { !erased.contains($0) }, to: kind, t)
    }
    return []
  }

  /// Records marks, and deletes what they are of.
  private func erase(_ marks: [String]) throws(StoreError) -> [BlobPath] {
    try database.write { t in
      try t.hold(.erasures)
      try Erasures.insert(marks, t)
      func isMarked(_ kind: String, _ column: String) -> String {
        Self.mark(kind, column) + " = ANY($1)"
      }
      let values = [FieldValue.array(marks)]
      var gone = try RecordedAnnouncements.erase(
        "\(isMarked("announcement", "id")) OR \(isMarked("submission", "idempotency_key"))", values,
        catalog, t)
      gone += try RecordedDrafts.erase(
        """
        \(isMarked("announcement", "announcement_id"))
          OR \(isMarked("submission", "submission_key"))
        """, values, catalog, t)
      func photos(_ kind: String, _ column: String, _ table: String) throws -> [UUID] {
        try t.rows("SELECT \(column) FROM \(table) WHERE \(isMarked(kind, column))", values)
          .compactMap { $0.text(0).flatMap(UUID.init(uuidString:)) }
      }
      for photo in try photos("library", "photo", "library_photo") {
        gone += try catalog.forget(asset: photo, t).gone
      }
      for photo in try photos("photo", "\"id\"", "photo") {
        gone += try catalog.remove(photo: photo, at: Date(), t)
      }
      return gone
    }
  }

  /// SQL for the mark of `ErasureMark` of a kind whose identity is the text `column`.
  private static func mark(_ kind: String, _ column: String) -> String {
    """
    encode(sha256(convert_to('petspot \(kind) ' || \(column), 'UTF8') || '\\x00'::bytea), 'hex')
    """
  }

  private func add(
    _ rows: [MovedRow], to kind: MovedKind, _ t: Transaction
  ) throws {
    if rows.isEmpty { return }
    let table = MovedTable(kind)
    let columns = table.columns
    let names = columns.map(\.name).joined(separator: ", ")
    var (values, marks) = ([FieldValue](), [String]())
    for (number, row) in rows.enumerated() {
      let typed = columns.enumerated().map { "$\(values.count + $0 + 1)::\($1.type)" }
      marks.append("(\(typed.joined(separator: ", ")), \(number))")
      values += table.values(row) { catalog.origin(of: Array($0)) }
    }
    try t.run(
      """
      INSERT INTO \(table.name) (\(names))
      SELECT \(names) FROM (VALUES \(marks.joined(separator: ", "))) AS new (\(names), row_number)
      WHERE \(table.condition) ORDER BY row_number
      ON CONFLICT DO NOTHING
      """, values, isRepeated: false)
  }

  package func photos(ids: [String]) throws(StoreError) -> [SealedRecord] {
    if ids.isEmpty { return [] }
    return try database.rows(
      "SELECT \(PhotoRows.columns) FROM photo WHERE \"id\" = ANY($1)", [.array(ids)]
    ).compactMap { PhotoRows.record($0) }
  }

  package func add(
    _ photos: [SealedRecord], naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    try database.write { t in
      // A second move of the same photos waits here for the first.
      let stored = try PhotoRows.hold(photos.flatMap(\.places), t)
      let there = try t.rows(
        "SELECT 1 FROM photo WHERE \"id\" = ANY($1) LIMIT 1", [.array(photos.map(\.id))])
      try t.hold(.newRecords)
      guard there.isEmpty, try Self.erased(photos: photos.map(\.id), t).isEmpty else {
        t.isUndone = true
        return false
      }
      try PhotoRows.insert(photos, stored, t)
      t.isTold = true
      let areNamed = try naming()
      t.isUndone = !areNamed
      return areNamed
    }
  }

  package func secret() throws(StoreError) -> Data? {
    try database.read { try $0.storeSecret() }
  }

  package func adopt(_ secret: Data) throws(StoreError) -> Bool {
    try database.write { t in
      try t.run(
        """
        UPDATE store SET secret = $1 WHERE NOT EXISTS (SELECT 1 FROM report_draft)
          AND NOT EXISTS (SELECT 1 FROM announcement)
        """, [.data(secret)])
      return try t.rows("SELECT secret FROM store").first?.data(0) == secret
    }
  }
}
