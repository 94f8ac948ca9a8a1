import Announcements
package import Foundation
package import PhotoAttachments

/// Stores drafts in the database of the photos, as one row with the draft's text per id. `DraftStore` interprets the
/// text. The database sees only the fields of `DraftMarks`.
///
/// Each operation is one small transaction. Its changes are durable when the function returns and survive a power
/// failure. Operations block their thread while the database works, and wait for other transactions no longer than its
/// timeout. Times have millisecond precision.
///
/// An id is any text without NUL. There is no draft with another id, and writing one throws `.fault(.draftID)`.
///
/// Every operation throws `StoreError`: `.busy`, or the error of the disk or server. In this case the database is
/// unchanged, unless only the commit's acknowledgment was lost. The contents of a text never cause an error.
package struct RecordedDrafts: Sendable {
  let photos: PhotoAttachmentCache

  /// Accesses the drafts in the database that contains the records of `photos`.
  package init(_ photos: PhotoAttachmentCache) { self.photos = photos }

  /// Returns the stored text of a draft, valid or not, with its revision, or `nil` if there is no draft.
  package func draft(_ id: String) throws(StoreError) -> DraftRecord? {
    guard id.isStorable else { return nil }
    let rows = try photos.catalog.database.rows(
      "SELECT content, revision FROM report_draft WHERE id = $1", [.text(id)])
    guard let row = rows.first, let content = row.text(0), let revision = row.number(1) else {
      return nil
    }
    return DraftRecord(content: content, revision: revision)
  }

  /// Writes a draft unless another process has written or deleted it since it was read. If several processes write over
  /// the same revision, exactly one succeeds.
  ///
  /// - Parameters:
  ///   - content: the draft as JSON.
  ///   - id: the draft's id.
  ///   - revision: the revision that was read, or `nil` to write only if there is no draft.
  ///   - moment: the time of the change. The draft's expiry counts from it.
  ///   - client: the client that creates the draft, which makes it a web draft, or `nil` for a local draft. An existing
  ///     draft keeps its client.
  /// - Returns: the new revision, or `nil` if nothing was written. No earlier draft with this id had this revision,
  ///   even if it was deleted since.
  package func write(
    _ content: String, of id: String, over revision: Int64?, at moment: Date, client: String? = nil
  ) throws(StoreError) -> Int64? {
    guard id.isStorable else { throw .fault(.draftID) }
    // Revisions are random, so that a draft that was deleted and created again never has an earlier revision.
    let next = Int64.random(in: 1 ... .max)
    let marks = DraftMarks(of: content)
    let values: [FieldValue] = [
      .text(id), .text(content), .int(moment.milliseconds), .int(next),
      FieldValue(marks.submissionKey?.ifStorable), FieldValue(marks.announcementID?.ifStorable),
      FieldValue(marks.isSubmitted),
    ]
    let written = try photos.catalog.database.write { t in
      guard let revision else {
        return try t.execute(
          """
          INSERT INTO report_draft (id, content, updated_at, revision, submission_key,
            announcement_id, is_submitted, client)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING
          """, values + [FieldValue(client)])
      }
      return try t.execute(
        """
        UPDATE report_draft SET content = $2, updated_at = $3, revision = $4,
          submission_key = $5, announcement_id = $6, is_submitted = $7
        WHERE id = $1 AND revision = $8
        """, values + [.int(revision)])
    }
    return written > 0 ? next : nil
  }

  /// Deletes a draft regardless of its revision. Succeeds if it doesn't exist. SQLite overwrites the deleted text,
  /// because it contains names and phone numbers.
  package func delete(_ id: String) throws(StoreError) {
    guard id.isStorable else { return }
    _ = try photos.catalog.database.write {
      try $0.execute("DELETE FROM report_draft WHERE id = $1", [.text(id)])
    }
  }

  /// Deletes the drafts that match a condition, and their attachments, in the caller's transaction.
  ///
  /// - Returns: the pictures to release.
  package static func erase(
    _ condition: String, _ values: [FieldValue], _ catalog: Catalog,
    _ t: Transaction
  ) throws -> [BlobPath] {
    try t.rows("DELETE FROM report_draft WHERE \(condition) RETURNING id", values)
      .compactMap { $0.text(0) }
      .flatMap { try catalog.end(draft: $0, at: Date(), t) }
  }

  /// Deletes drafts that were last written before `date` and whose photo, if any, was last touched before it (decision
  /// 12). A dry run only counts.
  ///
  /// Also deletes announcements without a photo that were created before `date`, unless a remaining draft has their
  /// submission key. They were never visible. Counts of wrong passwords of the same age are deleted, too.
  ///
  /// - Returns: the number of drafts without a photo that were deleted, or would be. The sweep of the photos counts
  ///   drafts with a photo, so the sum of both is right.
  package func expire(before date: Date, dryRun: Bool) throws(StoreError) -> Int {
    let expired = """
      FROM report_draft WHERE updated_at < $1 AND NOT EXISTS (
        SELECT 1 FROM attachment WHERE draft = report_draft.id AND attachment.updated_at >= $1)
      """
    let moment = FieldValue.int(date.milliseconds)
    return try photos.catalog.database.write(dryRun: dryRun) { t in
      let count = try t.rows(
        """
        SELECT count(*) \(expired)
        AND NOT EXISTS (SELECT 1 FROM attachment WHERE draft = report_draft.id)
        """, [moment]
      ).first?.number(0)
      try t.execute("DELETE \(expired)", [moment])
      try t.execute(
        """
        DELETE FROM announcement WHERE photo_id IS NULL AND created_at < $1 AND NOT EXISTS (
          SELECT 1 FROM report_draft WHERE submission_key = announcement.idempotency_key)
        """, [moment])
      try t.execute("DELETE FROM wrong_password WHERE tried_at < $1", [moment])
      return Int(count ?? 0)
    }
  }

  /// Returns the ids of drafts last written before `date`, or all ids if it's `nil`, oldest first. Drafts of the same
  /// time are ordered by the bytes of their ids.
  package func ids(untouchedSince date: Date?) throws(StoreError) -> [String] {
    try photos.catalog.database.rows(
      "SELECT id FROM report_draft WHERE updated_at < $1 ORDER BY updated_at, id",
      [.int(date?.milliseconds ?? .max)]
    ).compactMap { $0.text(0) }
  }

  /// Returns `true` if there is a draft with this id that was submitted.
  package func isSubmitted(_ id: String) throws(StoreError) -> Bool {
    guard id.isStorable else { return false }
    return try photos.catalog.database.rows(
      "SELECT is_submitted FROM report_draft WHERE id = $1", [.text(id)]
    ).first?.isTrue(0) ?? false
  }

  /// Returns 32 unguessable bytes that were created with the store. They are shared by all programs that use it, and
  /// don't change while it has a draft or an announcement (see `RecordsToMove.adopt`).
  package func secret() throws(StoreError) -> Data {
    try photos.catalog.database.read { try $0.storeSecret() }
  }
}

extension String {
  /// The text, or `nil` if a database can't store it.
  var ifStorable: String? { isStorable ? self : nil }
}
