public import Foundation
import GRDB
public import PhotoAttachments
public import ReportFlow
import Records

/// Drafts in the database on this machine, one row each; an act is one small transaction.
public struct SQLiteDrafts: DraftStorage {
  let database: ReportDatabase

  /// The drafts in `database`.
  public init(_ database: ReportDatabase) { self.database = database }

  /// See the protocol.
  public func draft(_ id: String) throws(StoreError) -> DraftRecord? {
    guard id.isWhole, try hasTable else { return nil }
    return try database.read { db in
      try Row.fetchOne(
        db, sql: "SELECT content, revision FROM report_draft WHERE id = ?", arguments: [id]
      ).map { DraftRecord(content: $0["content"], revision: $0["revision"]) }
    }
  }

  /// See the protocol.
  public func write(
    _ content: String, of id: String, over revision: Int64?, at moment: Date, client: String?
  ) throws(StoreError) -> Int64? {
    guard id.isWhole else { throw .fault(what: "draft-id") }
    // Random: a draft that was deleted and made anew never has the revision of the one before.
    let next = Int64.random(in: 1 ... .max)
    return try database.write {
      if let revision {
        try $0.execute(
          sql: """
            UPDATE report_draft SET content = ?, updated_at = ?, revision = ?
            WHERE id = ? AND revision = ?
            """, arguments: [content, moment.milliseconds, next, id, revision])
      } else {
        try $0.execute(
          sql: """
            INSERT INTO report_draft (id, content, updated_at, revision, client)
            VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING
            """, arguments: [id, content, moment.milliseconds, next, client])
      }
      return $0.changesCount > 0 ? next : nil
    }
  }

  /// See the protocol.
  public func delete(_ id: String) throws(StoreError) {
    guard id.isWhole else { return }
    try database.write {
      try $0.execute(sql: "DELETE FROM report_draft WHERE id = ?", arguments: [id])
    }
  }

  /// See the protocol.
  public func expire(before date: Date, dryRun: Bool) throws(StoreError) -> Int {
    let expired = """
      FROM report_draft WHERE updated_at < ?1 AND NOT EXISTS (
        SELECT 1 FROM attachment WHERE draft = report_draft.id AND attachment.updated_at >= ?1)
      """
    return try database.write {
      let count = try Int.fetchOne(
        $0,
        sql: """
          SELECT count(*) \(expired)
          AND NOT EXISTS (SELECT 1 FROM attachment WHERE draft = report_draft.id)
          """, arguments: [date.milliseconds])
      if dryRun { return count ?? 0 }
      try $0.execute(sql: "DELETE \(expired)", arguments: [date.milliseconds])
      try $0.execute(
        sql: """
          DELETE FROM announcement WHERE photo_id IS NULL AND created_at < ?1
            AND NOT EXISTS (
              SELECT 1 FROM report_draft
              WHERE \(Self.mark("$.submissionKey")) = announcement.idempotency_key)
          """, arguments: [date.milliseconds])
      try $0.execute(
        sql: "DELETE FROM wrong_password WHERE tried_at < ?", arguments: [date.milliseconds])
      return count ?? 0
    }
  }

  /// See the protocol.
  public func ids(untouchedSince date: Date?) throws(StoreError) -> [String] {
    try database.read {
      try String.fetchAll(
        $0, sql: "SELECT id FROM report_draft WHERE updated_at < ? ORDER BY updated_at, id",
        arguments: [date?.milliseconds ?? .max])
    }
  }

  /// SQL for what a draft's text says at one of the places of `DraftMarks`; NULL in one that is no
  /// JSON. `CASE`, because `AND` may look at its right side although the left one is false.
  static func mark(_ place: String) -> String {
    "CASE WHEN json_valid(content) THEN json_extract(content, '\(place)') END"
  }

  /// Deletes the drafts of a condition with what they show.
  ///
  /// - Returns: pictures to be given up.
  static func erase(
    _ condition: String, _ arguments: StatementArguments, _ catalog: SQLiteCatalog, in db: Database
  ) throws -> [BlobPath] {
    let drafts = try String.fetchAll(
      db, sql: "SELECT id FROM report_draft WHERE \(condition)", arguments: arguments)
    return try drafts.flatMap { draft in
      try db.execute(sql: "DELETE FROM report_draft WHERE id = ?", arguments: [draft])
      return try catalog.run(
        { try catalog.end(draft: draft, by: .remove, at: Date(), $0) }, db
      ).value
    }
  }

  /// Whether a report was ever kept here; looking for one makes no tables.
  private var hasTable: Bool {
    get throws(StoreError) {
      if database.isPrepared { return true }
      return try database.catalog.read { try $0.tableExists("report_draft") }
    }
  }

  /// See the protocol; works on a cache without our tables, too.
  public func isSubmitted(_ id: String) throws(StoreError) -> Bool {
    guard id.isWhole, try hasTable else { return false }
    return try database.catalog.read {
      try Bool.fetchOne(
        $0,
        sql: """
          SELECT \(Self.mark("$.submission.isComplete")) IS TRUE FROM report_draft WHERE id = ?
          """, arguments: [id]) ?? false
    }
  }

  /// See the protocol.
  public func secret() throws(StoreError) -> Data { try database.read(ReportDatabase.secret) }
}
