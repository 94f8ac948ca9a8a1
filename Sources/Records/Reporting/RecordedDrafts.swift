public import Foundation
public import PhotoAttachments
public import ReportFlow

/// Drafts among the records of photos, one row each; an act is one small transaction.
public struct RecordedDrafts: DraftStorage {
  let reports: Reports

  /// The drafts in the database that `photos` are recorded in.
  public init(_ photos: PhotoAttachmentCache) { reports = Reports(photos) }

  /// See the protocol.
  public var actsAtOnce: Int { reports.photos.catalog.actsAtOnce }

  /// See the protocol.
  public func draft(_ id: String) throws(StoreError) -> DraftRecord? {
    guard id.isWhole, try reports.catalog.keepsReports() else { return nil }
    let rows = try reports.database.rows(
      "SELECT content, revision FROM report_draft WHERE id = $1", [.text(id)])
    guard let row = rows.first, let content = row.text(0), let revision = row.number(1) else {
      return nil
    }
    return DraftRecord(content: content, revision: revision)
  }

  /// See the protocol.
  public func write(
    _ content: String, of id: String, over revision: Int64?, at moment: Date, client: String?
  ) throws(StoreError) -> Int64? {
    guard id.isWhole else { throw .fault(what: "draft-id") }
    // Random: a draft that was deleted and made anew never has the revision of the one before.
    let next = Int64.random(in: 1 ... .max)
    let marks = DraftMarks(of: content)
    let values: [FieldValue] = [
      .text(id), .text(content), .int(moment.milliseconds), .int(next),
      FieldValue(marks.submissionKey?.whole), FieldValue(marks.announcementID?.whole),
      FieldValue(marks.isSubmitted),
    ]
    let written = try reports.database.write { t in
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

  /// See the protocol.
  public func delete(_ id: String) throws(StoreError) {
    guard id.isWhole else { return }
    _ = try reports.database.write {
      try $0.run("DELETE FROM report_draft WHERE id = $1", [.text(id)])
    }
  }

  /// Deletes the drafts of a condition with what they show.
  ///
  /// - Returns: pictures to be given up.
  package static func erase(
    _ condition: String, _ values: [FieldValue], _ catalog: any RecordsCatalog,
    _ t: Transaction
  ) throws -> [BlobPath] {
    try t.rows("DELETE FROM report_draft WHERE \(condition) RETURNING id", values)
      .compactMap { $0.text(0) }
      .flatMap { try catalog.end(draft: $0, by: .remove, at: Date(), t) }
  }

  /// See the protocol.
  public func expire(before date: Date, dryRun: Bool) throws(StoreError) -> Int {
    let expired = """
      FROM report_draft WHERE updated_at < $1 AND NOT EXISTS (
        SELECT 1 FROM attachment WHERE draft = report_draft.id AND attachment.updated_at >= $1)
      """
    let moment = FieldValue.int(date.milliseconds)
    return try reports.database.write(dryRun: dryRun) { t in
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

  /// See the protocol.
  public func ids(untouchedSince date: Date?) throws(StoreError) -> [String] {
    try reports.database.rows(
      "SELECT id FROM report_draft WHERE updated_at < $1 ORDER BY updated_at, id",
      [.int(date?.milliseconds ?? .max)]
    ).compactMap { $0.text(0) }
  }

  /// See the protocol.
  public func isSubmitted(_ id: String) throws(StoreError) -> Bool {
    guard id.isWhole, try reports.catalog.keepsReports() else { return false }
    // Of drafts of every version, which need not be brought up to date for it.
    let rows = try reports.catalog.database.rows(
      "SELECT content FROM report_draft WHERE id = $1", [.text(id)])
    return rows.first?.text(0).map { DraftMarks(of: $0).isSubmitted } ?? false
  }

  /// See the protocol.
  public func secret() throws(StoreError) -> Data {
    try reports.database.read { try $0.storeSecret() }
  }
}

extension String {
  /// The text, nil when a database cannot keep it.
  fileprivate var whole: String? { isWhole ? self : nil }
}
