public import Foundation
import GRDB
public import Logging
public import PhotoAttachments
public import PhotoIngestion

/// A draft as it was read, with the revision that tells whether somebody has written it since.
public struct StoredDraft: Sendable {
  /// The draft.
  public let draft: ReportDraft
  /// Another one after every write.
  public let revision: Int64
}

/// Keeps drafts in the database, one row each. Calls block their thread for one small transaction.
public struct DraftStore: Sendable {
  private let database: ReportDatabase
  private let logger: Logger

  /// A store in `database`.
  public init(_ database: ReportDatabase, logger: Logger) {
    (self.database, self.logger) = (database, logger)
  }

  /// The draft of this id; nil when there is none.
  ///
  /// - Throws: `PhotoError.database` for a draft that cannot be read, which stays as it is:
  ///   `newer-draft` with its version, `damaged-draft` with what is wrong.
  public func load(_ id: String) throws(PhotoError) -> StoredDraft? {
    let row = try database.catalog.read { db in
      try Row.fetchOne(
        db, sql: "SELECT content, revision FROM report_draft WHERE id = ?", arguments: [id]
      ).map { (content: $0["content"] as String, revision: $0["revision"] as Int64) }
    }
    guard let row else { return nil }
    do {
      let draft = try JSONDecoder().decode(ReportDraft.self, from: Data(row.content.utf8))
      return StoredDraft(draft: draft, revision: row.revision)
    } catch let error as NewerDraft {
      throw .database(what: "newer-draft", detail: "\(error.version)")
    } catch {
      logger.error("draft unreadable", metadata: ["draft": "\(id)", "error": "\(error)"])
      throw .database(what: "damaged-draft", detail: "\(error)")
    }
  }

  /// Writes the draft through to the disk before it returns, unless somebody else has written or
  /// deleted it since it was read.
  ///
  /// - Parameter revision: the revision it was read with; nil when there was none.
  /// - Returns: its new revision; nil when nothing was written because there is another one.
  public func save(
    _ draft: ReportDraft, over revision: Int64?, now: Date
  ) throws(PhotoError) -> Int64? {
    // Random: a draft that was deleted and made anew never has the revision of the one before.
    let next = Int64.random(in: 1 ... .max)
    return try database.catalog.write {
      let content = String(decoding: try JSONEncoder().encode(draft), as: UTF8.self)
      if let revision {
        try $0.execute(
          sql: """
            UPDATE report_draft SET content = ?, updated_at = ?, revision = ?
            WHERE id = ? AND revision = ?
            """, arguments: [content, now.milliseconds, next, draft.id, revision])
      } else {
        try $0.execute(
          sql: """
            INSERT INTO report_draft (id, content, updated_at, revision) VALUES (?, ?, ?, ?)
            ON CONFLICT (id) DO NOTHING
            """, arguments: [draft.id, content, now.milliseconds, next])
      }
      return $0.changesCount > 0 ? next : nil
    }
  }

  /// Whether the draft of this id was submitted: then its photo belongs to the announcement, and
  /// another one would belong to nothing. A cache without reports has none.
  public static func isSubmitted(
    _ id: String, in photos: PhotoAttachmentCache
  ) throws(PhotoError) -> Bool {
    try photos.catalog.read { db in
      guard try db.tableExists("report_draft") else { return false }
      return try Bool.fetchOne(
        db,
        sql: """
          SELECT json_valid(content) AND json_extract(content, '$.submission.isComplete') IS TRUE
          FROM report_draft WHERE id = ?
          """, arguments: [id]) ?? false
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
  /// With them goes what they left half announced: announcements without a photo, which nobody ever
  /// saw, made before `date`. So do counts of wrong passwords that are as old.
  ///
  /// - Returns: how many drafts without an attachment were deleted, or would be. Those with one are
  ///   counted by the sweep of the photos, so that the sum of both is right.
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
      if dryRun { return count ?? 0 }
      try $0.execute(sql: "DELETE \(expired)", arguments: [date.milliseconds])
      try $0.execute(
        sql: """
          DELETE FROM announcement WHERE photo_id IS NULL AND created_at < ?1
            AND NOT EXISTS (
              SELECT 1 FROM report_draft WHERE json_valid(content)
                AND json_extract(content, '$.submissionKey') = announcement.idempotency_key)
          """, arguments: [date.milliseconds])
      try $0.execute(
        sql: "DELETE FROM wrong_password WHERE tried_at < ?", arguments: [date.milliseconds])
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
