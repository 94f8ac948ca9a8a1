public import Foundation
import GRDB
public import Logging
public import PhotoAttachments

/// Keeps drafts in the database, one row each. Calls block their thread for one small transaction.
public struct DraftStore: Sendable {
  private let database: ReportDatabase
  private let logger: Logger

  /// A store in `database`.
  public init(_ database: ReportDatabase, logger: Logger) {
    (self.database, self.logger) = (database, logger)
  }

  /// The draft of this id; nil when there is none. A row that cannot be read is logged and counts
  /// as none.
  public func load(_ id: String) throws(PhotoError) -> ReportDraft? {
    let content = try database.catalog.read {
      try String.fetchOne($0, sql: "SELECT content FROM report_draft WHERE id = ?", arguments: [id])
    }
    guard let content else { return nil }
    do {
      return try JSONDecoder().decode(ReportDraft.self, from: Data(content.utf8))
    } catch {
      logger.error("draft unreadable", metadata: ["draft": "\(id)", "error": "\(error)"])
      return nil
    }
  }

  /// Writes the draft through to the disk before it returns.
  public func save(_ draft: ReportDraft, now: Date) throws(PhotoError) {
    try database.catalog.write {
      let content = String(decoding: try JSONEncoder().encode(draft), as: UTF8.self)
      try $0.execute(
        sql: """
          INSERT INTO report_draft (id, content, updated_at) VALUES (?, ?, ?)
          ON CONFLICT (id) DO UPDATE SET content = excluded.content, updated_at = excluded.updated_at
          """, arguments: [draft.id, content, now.milliseconds])
    }
  }

  /// Deletes the draft; deleting none is no error.
  public func delete(_ id: String) throws(PhotoError) {
    try database.catalog.write {
      try $0.execute(sql: "DELETE FROM report_draft WHERE id = ?", arguments: [id])
    }
  }

  /// Deletes drafts that were last changed before `date` and whose photo, if any, was not touched
  /// since either (decision 12); a dry run only tells.
  ///
  /// - Returns: how many of them have no attachment row: the photos' own sweep counts the others.
  public func expire(before date: Date, dryRun: Bool) throws(PhotoError) -> Int {
    let expired = """
      FROM report_draft WHERE updated_at < ?1 AND NOT EXISTS (
        SELECT 1 FROM attachment WHERE draft = report_draft.id AND updatedAtMilliseconds >= ?1)
      """
    return try database.catalog.write {
      let count = try Int.fetchOne(
        $0,
        sql: """
          SELECT count(*) \(expired)
          AND NOT EXISTS (SELECT 1 FROM attachment WHERE draft = report_draft.id)
          """, arguments: [date.milliseconds])
      if !dryRun { try $0.execute(sql: "DELETE \(expired)", arguments: [date.milliseconds]) }
      return count ?? 0
    }
  }

  /// The ids of drafts last changed before `date`, by default of all, the oldest first.
  public func ids(untouchedSince date: Date? = nil) throws(PhotoError) -> [String] {
    try database.catalog.read {
      try String.fetchAll(
        $0, sql: "SELECT id FROM report_draft WHERE updated_at < ? ORDER BY updated_at, id",
        arguments: [date?.milliseconds ?? .max])
    }
  }
}
