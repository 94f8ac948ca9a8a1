package import Foundation
package import PhotoAttachments
package import ReportFlow
import Records

/// Drafts in a database that many servers share, one row each; an act is one small transaction.
package struct PostgresDrafts: DraftStorage {
  let reports: PostgresReports
  private var database: PostgresDatabase { reports.database }

  package var actsAtOnce: Int { PostgresPool.actsAtOnce }

  /// The drafts among `reports`.
  package init(_ reports: PostgresReports) { self.reports = reports }

  package func draft(_ id: String) throws(StoreError) -> DraftRecord? {
    guard id.isWhole else { return nil }
    let rows = try database.rows(
      "SELECT content, revision FROM report_draft WHERE id = $1", [.text(id)])
    guard let row = rows.first, let content = row.text(0), let revision = row.number(1) else {
      return nil
    }
    return DraftRecord(content: content, revision: revision)
  }

  package func write(
    _ content: String, of id: String, over revision: Int64?, at moment: Date, client: String?
  ) throws(StoreError) -> Int64? {
    guard id.isWhole else { throw .fault(what: "draft-id") }
    // Random: a draft that was deleted and made anew never has the revision of the one before.
    let next = Int64.random(in: 1 ... .max)
    let marks = DraftMarks(of: content)
    let values: [FieldValue] = [
      .text(id), .text(content), .int(moment.milliseconds), .int(next),
      FieldValue(marks.submissionKey?.whole), FieldValue(marks.announcementID?.whole),
      .text("\(marks.isSubmitted)"),
    ]
    let written = try database.write { t in
      guard let revision else {
        return try t.run(
          """
          INSERT INTO report_draft (id, content, updated_at, revision, submission_key,
            announcement_id, is_submitted, client)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING
          """, values + [FieldValue(client)])
      }
      return try t.run(
        """
        UPDATE report_draft SET content = $2, updated_at = $3, revision = $4,
          submission_key = $5, announcement_id = $6, is_submitted = $7
        WHERE id = $1 AND revision = $8
        """, values + [.int(revision)])
    }
    return written > 0 ? next : nil
  }

  package func delete(_ id: String) throws(StoreError) {
    guard id.isWhole else { return }
    _ = try database.write { try $0.run("DELETE FROM report_draft WHERE id = $1", [.text(id)]) }
  }

  /// Deletes the drafts of a condition with what they show.
  ///
  /// - Returns: pictures to be given up.
  static func erase(
    _ condition: String, _ values: [FieldValue], _ catalog: PostgresCatalog,
    _ t: Transaction
  ) throws -> [BlobPath] {
    try t.rows("DELETE FROM report_draft WHERE \(condition) RETURNING id", values)
      .compactMap { $0.text(0) }
      .flatMap { try catalog.end(draft: $0, by: .remove, at: Date(), t) }
  }

  package func expire(before date: Date, dryRun: Bool) throws(StoreError) -> Int {
    let expired = """
      FROM report_draft WHERE updated_at < $1 AND NOT EXISTS (
        SELECT 1 FROM attachment WHERE draft = report_draft.id AND attachment.updated_at >= $1)
      """
    let moment = FieldValue.int(date.milliseconds)
    return try database.write(dryRun: dryRun) { t in
      let count = try t.rows(
        """
        SELECT count(*) \(expired)
        AND NOT EXISTS (SELECT 1 FROM attachment WHERE draft = report_draft.id)
        """, [moment]
      ).first?.number(0)
      if dryRun { return Int(count ?? 0) }
      try t.run("DELETE \(expired)", [moment])
      try t.run(
        """
        DELETE FROM announcement WHERE photo_id IS NULL AND created_at < $1 AND NOT EXISTS (
          SELECT 1 FROM report_draft WHERE submission_key = announcement.idempotency_key)
        """, [moment])
      try t.run("DELETE FROM wrong_password WHERE tried_at < $1", [moment])
      return Int(count ?? 0)
    }
  }

  package func ids(untouchedSince date: Date?) throws(StoreError) -> [String] {
    try database.rows(
      "SELECT id FROM report_draft WHERE updated_at < $1 ORDER BY updated_at, id",
      [.int(date?.milliseconds ?? .max)]
    ).compactMap { $0.text(0) }
  }

  package func isSubmitted(_ id: String) throws(StoreError) -> Bool {
    guard id.isWhole else { return false }
    return try database.rows(
      "SELECT is_submitted FROM report_draft WHERE id = $1", [.text(id)]
    ).first?.isTrue(0) ?? false
  }

  package func secret() throws(StoreError) -> Data { try reports.catalog.secret() }
}

extension String {
  /// The text, nil when a database cannot keep it.
  fileprivate var whole: String? { isWhole ? self : nil }
}
