package import Foundation
import GRDB
package import PhotoAttachments
import ReportFlow
import Records

/// The records of a database file as a move reads and writes them.
package struct SQLiteMovable: MovableRecords {
  private let catalog: SQLiteCatalog

  /// All records of the file that photos are recorded in.
  ///
  /// - Throws: `StoreError.fault("no-sqlite")` when they are recorded elsewhere.
  package init(_ photos: PhotoAttachmentCache) throws(StoreError) {
    guard let catalog = photos.catalog as? SQLiteCatalog else { throw .fault(what: "no-sqlite") }
    self.catalog = catalog
  }

  package var place: String {
    let path = catalog.folder.catalog
    return "sqlite " + URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }

  package func rows(
    _ kind: MovedKind, after place: [FieldValue]?, limit: Int
  ) throws(StoreError) -> [MovedRow] {
    let table = MovedTable(kind)
    guard try isThere(table) else { return [] }
    let order = kind.order.joined(separator: ", ")
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
      WHERE (\(kind.key.joined(separator: ", ")))
        IN (VALUES \(marks.joined(separator: ", ")))
      """, Array(keys.joined()))
  }

  private func fetch(
    _ table: MovedTable, _ condition: String, _ values: [FieldValue]
  ) throws(StoreError) -> [MovedRow] {
    try catalog.read { db in
      try Row.fetchAll(
        db, sql: "SELECT \(table.reading) FROM \(table.name) \(condition)",
        arguments: StatementArguments(values.map(\.databaseValue))
      ).map { MovedRow(table.kind, $0.databaseValues.map(FieldValue.init)) }
    }
  }

  /// Tables of reports are neither made nor looked for by a look.
  private func isThere(_ table: MovedTable) throws(StoreError) -> Bool {
    guard table.isOfReports, !catalog.areReportsReady else { return true }
    guard try catalog.keepsReports() else { return false }
    // An older program may have made them.
    try catalog.prepareReports()
    return true
  }

  package func erased(
    _ rows: [MovedRow], of kind: MovedKind
  ) throws(StoreError) -> [MovedRow] {
    try catalog.database.read { try Self.erased(rows, of: kind, $0) }
  }

  private static func erased(
    _ rows: [MovedRow], of kind: MovedKind, _ t: Transaction
  ) throws -> [MovedRow] {
    let found = try t.ask(Erasures.among(rows.flatMap { $0.marks(kind) }, t.dialect))
    return rows.filter { !found.isDisjoint(with: $0.marks(kind)) }
  }

  package func erased(photos ids: [String]) throws(StoreError) -> Set<String> {
    try catalog.database.read { try Self.erased(photos: ids, $0) }
  }

  private static func erased(photos ids: [String], _ t: Transaction) throws -> Set<String> {
    let found = try t.ask(Erasures.among(ids.map(ErasureMark.photo), t.dialect))
    return Set(ids.filter { found.contains(ErasureMark.photo($0)) })
  }

  package func add(
    _ rows: [MovedRow], to kind: MovedKind
  ) throws(StoreError) -> [BlobPath] {
    if kind == .erasures { return try erase(Set(rows.compactMap { $0.fields["mark"]?.text })) }
    let table = MovedTable(kind)
    if table.isOfReports { try catalog.prepareReports() }
    try catalog.database.write { t in
      let erased = try Self.erased(rows, of: kind, t)
      for row in rows where !erased.contains(row) {
        let values = table.values(row)
        let marks = values.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        try t.run(
          """
          WITH new (\(table.columns)) AS (VALUES (\(marks)))
          INSERT INTO \(table.name) (\(table.columns)) SELECT * FROM new WHERE \(table.condition)
          ON CONFLICT DO NOTHING
          """, values)
      }
    }
    return []
  }

  /// Records marks, and deletes what they are of.
  private func erase(_ marks: Set<String>) throws(StoreError) -> [BlobPath] {
    // The tables of reports are made only where there is something to look for.
    let hasReports = try isThere(MovedTable(.drafts))
    return try catalog.write { db in
      try catalog.run({ try Erasures.insert(marks, $0) }, db)
      var gone: [BlobPath] = []
      if hasReports {
        let announcements = try Row.fetchAll(
          db, sql: "SELECT id, idempotency_key FROM announcement")
        for row in announcements
        where marks.contains(ErasureMark.announcement(row[0]))
          || marks.contains(ErasureMark.submission(row[1]))
        {
          let id: String = row[0]
          gone += try catalog.run(
            { try RecordedAnnouncements.erase("id = $1", [.text(id)], catalog, $0) }, db)
        }
        let drafts = try rows(.drafts, db).filter { !marks.isDisjoint(with: $0.marks(.drafts)) }
        for draft in drafts {
          let id = draft.fields["id"] ?? .null
          gone += try catalog.run({ try RecordedDrafts.erase("id = $1", [id], catalog, $0) }, db)
        }
      }
      for photo in try String.fetchAll(db, sql: "SELECT photo FROM library_photo")
      where marks.contains(ErasureMark.library(photo)) {
        guard let id = UUID(uuidString: photo) else { continue }
        gone += try catalog.run({ try catalog.forget(asset: id, $0).gone }, db)
      }
      for photo in try String.fetchAll(db, sql: "SELECT id FROM photo")
      where marks.contains(ErasureMark.photo(photo)) {
        guard let id = UUID(uuidString: photo) else { continue }
        gone += try catalog.run({ try catalog.remove(photo: id, at: Date(), $0) }, db)
      }
      return gone
    }
  }

  private func rows(_ kind: MovedKind, _ db: Database) throws -> [MovedRow] {
    let table = MovedTable(kind)
    return try Row.fetchAll(db, sql: "SELECT \(table.reading) FROM \(table.name)")
      .map { MovedRow(kind, $0.databaseValues.map(FieldValue.init)) }
  }

  package func photos(ids: [String]) throws(StoreError) -> [SealedRecord] {
    try catalog.database.read { t in
      try ids.compactMap { try PhotoRows.fetch(t, id: $0) }
    }
  }

  package func add(
    _ photos: [SealedRecord], naming: () throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    try catalog.database.write { t in
      for photo in photos where try PhotoRows.fetch(t, id: photo.id) != nil { return false }
      guard try Self.erased(photos: photos.map(\.id), t).isEmpty else { return false }
      guard try naming() else { return false }
      try PhotoRows.insert(photos, HeldPictures(), t)
      return true
    }
  }

  package func secret() throws(StoreError) -> Data? {
    guard try isThere(MovedTable(.drafts)) else { return nil }
    return try catalog.database.read { try $0.storeSecret() }
  }

  package func adopt(_ secret: Data) throws(StoreError) -> Bool {
    try catalog.prepareReports()
    return try catalog.database.write { t in
      try t.run(
        """
        UPDATE server_secret SET secret = $1 WHERE NOT EXISTS (SELECT 1 FROM report_draft)
          AND NOT EXISTS (SELECT 1 FROM announcement)
        """, [.data(secret)])
      return try t.storeSecret() == secret
    }
  }
}
