package import Foundation
package import PhotoAttachments

/// The records of a database as a move reads and writes them.
package struct PostgresMovable: MovableRecords {
  private let catalog: PostgresCatalog
  private var database: PostgresDatabase { catalog.database }

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
    return try database.ask(
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
    return try database.ask(
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

  package func add(_ rows: [MovedRow], to kind: MovedKind) throws(StoreError) {
    let table = MovedTable(kind)
    let columns = table.columns
    let names = columns.map(\.name).joined(separator: ", ")
    var (values, marks) = ([FieldValue](), [String]())
    for (number, row) in rows.enumerated() {
      let typed = columns.enumerated().map { "$\(values.count + $0 + 1)::\($1.type)" }
      marks.append("(\(typed.joined(separator: ", ")), \(number))")
      values += table.values(row) { catalog.origin(of: Array($0)) }
    }
    _ = try database.write { t in
      try t.run(
        """
        INSERT INTO \(table.name) (\(names))
        SELECT \(names) FROM (VALUES \(marks.joined(separator: ", "))) AS new (\(names), row_number)
        WHERE \(table.condition) ORDER BY row_number
        ON CONFLICT DO NOTHING
        """, values, isRepeated: false)
    }
  }

  package func photos(ids: [String]) throws(StoreError) -> [SealedRecord] {
    if ids.isEmpty { return [] }
    return try database.ask(
      "SELECT \(PhotoLines.columns) FROM photo WHERE \"id\" = ANY($1)", [.list(ids)]
    ).compactMap { PhotoLines.record($0) }
  }

  package func add(
    _ photos: [SealedRecord], naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    try database.write { t in
      // A second move of the same photos waits here for the first.
      let stored = try StoredBlobs.hold(photos.flatMap(\.places), t)
      let there = try t.rows(
        "SELECT 1 FROM photo WHERE \"id\" = ANY($1) LIMIT 1", [.list(photos.map(\.id))])
      guard there.isEmpty else {
        t.isUndone = true
        return false
      }
      try PhotoLines.insert(photos, stored, t)
      t.isTold = true
      let areNamed = try naming()
      t.isUndone = !areNamed
      return areNamed
    }
  }

  package func secret() throws(StoreError) -> Data? { try catalog.secret() }

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
