package import Foundation
import GRDB
package import PhotoAttachments

/// The records of a database file as a move reads and writes them.
package struct SQLiteMovable: MovableRecords {
  private let reports: ReportDatabase

  /// All records of the file that `reports` are in.
  package init(_ reports: ReportDatabase) { self.reports = reports }

  package var place: String {
    let path = reports.photos.folder.catalog
    return "sqlite " + URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  package func rows(
    _ kind: MovedKind, after place: [FieldValue]?, limit: Int
  ) throws(StoreError) -> [MovedRow] {
    let table = MovedTable(kind)
    guard try isThere(table) else { return [] }
    let order = table.columns(kind.order).joined(separator: ", ")
    let marks = databaseQuestionMarks(count: kind.order.count)
    let condition = place == nil ? "" : "WHERE (\(order)) > (\(marks))"
    return try fetch(
      table, "\(condition) ORDER BY \(order) LIMIT ?", (place ?? []) + [FieldValue(limit)])
  }

  package func rows(
    _ kind: MovedKind, keys: [[FieldValue]]
  ) throws(StoreError) -> [MovedRow] {
    let table = MovedTable(kind)
    guard !keys.isEmpty, try isThere(table) else { return [] }
    let marks = keys.map { "(" + databaseQuestionMarks(count: $0.count) + ")" }
    return try fetch(
      table,
      """
      WHERE (\(table.columns(kind.key).joined(separator: ", ")))
        IN (VALUES \(marks.joined(separator: ", ")))
      """, Array(keys.joined()))
  }

  private func fetch(
    _ table: MovedTable, _ condition: String, _ values: [FieldValue]
  ) throws(StoreError) -> [MovedRow] {
    try reports.catalog.read { db in
      try Row.fetchAll(
        db, sql: "SELECT \(table.reading) FROM \(table.name) \(condition)",
        arguments: StatementArguments(values.map(\.databaseValue))
      ).map { MovedRow(table.kind, $0.databaseValues.map(FieldValue.init)) }
    }
  }

  /// Tables of reports are neither made nor looked for by a look.
  private func isThere(_ table: MovedTable) throws(StoreError) -> Bool {
    guard table.isOfReports, !reports.isPrepared else { return true }
    guard try reports.catalog.read({ try $0.tableExists("report_draft") }) else { return false }
    // An older program may have made them.
    try reports.prepare()
    return true
  }

  package func add(_ rows: [MovedRow], to kind: MovedKind) throws(StoreError) {
    let table = MovedTable(kind)
    if table.isOfReports { try reports.prepare() }
    let columns = table.columns(kind.fields).joined(separator: ", ")
    let sql = """
      WITH new (\(kind.fields.joined(separator: ", ")))
        AS (VALUES (\(databaseQuestionMarks(count: kind.fields.count))))
      INSERT INTO \(table.name) (\(columns)) SELECT * FROM new WHERE \(table.condition)
      ON CONFLICT DO NOTHING
      """
    try reports.catalog.write { db in
      for row in rows {
        try db.cachedStatement(sql: sql).execute(
          arguments: StatementArguments(row.values(kind).map(\.databaseValue)))
      }
    }
  }

  package func photos(ids: [String]) throws(StoreError) -> [SealedRecord] {
    try reports.catalog.read { db in
      try ids.compactMap { try SealedRecord.fetch(db, id: $0) }
    }
  }

  package func add(
    _ photos: [SealedRecord], naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    try reports.catalog.write { db in
      for photo in photos where try SealedRecord.fetch(db, id: photo.id) != nil { return false }
      guard try naming() else { return false }
      for photo in photos { try photo.insert(db) }
      return true
    }
  }

  package func secret() throws(StoreError) -> Data? {
    guard try isThere(MovedTable(.drafts)) else { return nil }
    return try reports.read(ReportDatabase.secret)
  }

  package func adopt(_ secret: Data) throws(StoreError) -> Bool {
    try reports.write { db in
      try db.execute(
        sql: """
          UPDATE server_secret SET secret = ? WHERE NOT EXISTS (SELECT 1 FROM report_draft)
            AND NOT EXISTS (SELECT 1 FROM announcement)
          """, arguments: [secret])
      return try ReportDatabase.secret(in: db) == secret
    }
  }
}
