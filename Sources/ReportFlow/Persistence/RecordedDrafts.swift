import Announcements
package import Foundation
package import PhotoAttachments

/// Drafts among the records of photos, each as a text under its id, one row each. Of what a text says
/// `DraftStore` knows everything; rows know `DraftMarks`.
///
/// Each act is one small transaction. What it has written or deleted is on the disk when it returns, and
/// survives a power cut. Acts block their thread while the database works, at most for its timeout with
/// others. Moments are kept to the millisecond.
///
/// An id is any text without a zero byte. Of another one there is no draft, and writing one throws
/// `.fault(.draftID)`.
///
/// Every act throws `StoreError`: `.busy`, and what its disk or server answers. Nothing has changed then, unless
/// the answer itself was lost. What a text says is never a reason to throw.
package struct RecordedDrafts: Sendable {
  let photos: PhotoAttachmentCache

  /// The drafts in the database that `photos` are recorded in.
  package init(_ photos: PhotoAttachmentCache) { self.photos = photos }

  /// The text of a draft as it was written last, whatever it says, and its revision; nil when there
  /// is none.
  package func draft(_ id: String) throws(StoreError) -> DraftRecord? {
    guard id.isStorable else { return nil }
    let rows = try photos.catalog.database.rows(
      "SELECT content, revision FROM report_draft WHERE id = $1", [.text(id)])
    guard let row = rows.first, let content = row.text(0), let revision = row.number(1) else {
      return nil
    }
    return DraftRecord(content: content, revision: revision)
  }

  /// Writes a draft, unless another process has written or deleted it since it was read: of several
  /// who write over one revision exactly one succeeds.
  ///
  /// - Parameters:
  ///   - content: the draft as JSON.
  ///   - id: the draft's.
  ///   - revision: the one it was read with; nil writes only where there is no draft.
  ///   - moment: when it was changed, by which it expires.
  ///   - client: the client that makes it, which makes it a web draft; nil for a draft of this machine's
  ///     own. A draft that is there keeps the one it has.
  /// - Returns: its new revision, which no draft of this id had before, not even one that was deleted
  ///   since; nil when nothing was written.
  package func write(
    _ content: String, of id: String, over revision: Int64?, at moment: Date, client: String? = nil
  ) throws(StoreError) -> Int64? {
    guard id.isStorable else { throw .fault(.draftID) }
    // Random: a draft that was deleted and made anew never has the revision of the one before.
    let next = Int64.random(in: 1 ... .max)
    let marks = DraftMarks(of: content)
    let values: [FieldValue] = [
      .text(id), .text(content), .int(moment.milliseconds), .int(next),
      FieldValue(marks.submissionKey?.ifStorable), FieldValue(marks.announcementID?.ifStorable),
      FieldValue(marks.isSubmitted),
    ]
    let written = try photos.catalog.database.write { t in
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

  /// Deletes a draft, regardless of its writer; none is no error. Names and phone numbers are in it: a
  /// store in a file of its own overwrites what it said.
  package func delete(_ id: String) throws(StoreError) {
    guard id.isStorable else { return }
    _ = try photos.catalog.database.write {
      try $0.run("DELETE FROM report_draft WHERE id = $1", [.text(id)])
    }
  }

  /// Deletes the drafts that match a condition, and their attachments, in the caller's transaction.
  ///
  /// - Returns: pictures to be given up.
  package static func erase(
    _ condition: String, _ values: [FieldValue], _ catalog: Catalog,
    _ t: Transaction
  ) throws -> [BlobPath] {
    try t.rows("DELETE FROM report_draft WHERE \(condition) RETURNING id", values)
      .compactMap { $0.text(0) }
      .flatMap { try catalog.end(draft: $0, at: Date(), t) }
  }

  /// Deletes drafts that were last written before `date` and whose photo, if any, was not touched
  /// since either (decision 12); a dry run only counts.
  ///
  /// With them goes what they left half announced: announcements without a photo, which were never
  /// visible, made before `date`, unless a draft that stays has their submission key. So do counts of
  /// wrong passwords that are as old.
  ///
  /// - Returns: how many drafts without a photo were deleted, or would be. Those with one are counted
  ///   by the sweep of the photos, so that the sum of both is right.
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

  /// The ids of drafts last written before `date`, nil for all, the oldest first; of the same moment
  /// in the order of their ids' bytes.
  package func ids(untouchedSince date: Date?) throws(StoreError) -> [String] {
    try photos.catalog.database.rows(
      "SELECT id FROM report_draft WHERE updated_at < $1 ORDER BY updated_at, id",
      [.int(date?.milliseconds ?? .max)]
    ).compactMap { $0.text(0) }
  }

  /// Whether there is a draft of this id whose text says that it was submitted.
  package func isSubmitted(_ id: String) throws(StoreError) -> Bool {
    guard id.isStorable else { return false }
    return try photos.catalog.database.rows(
      "SELECT is_submitted FROM report_draft WHERE id = $1", [.text(id)]
    ).first?.isTrue(0) ?? false
  }

  /// 32 bytes that can't be guessed, made with the store and the same ones for as long as it lives,
  /// for every program that uses it.
  package func secret() throws(StoreError) -> Data {
    try photos.catalog.database.read { try $0.storeSecret() }
  }
}

extension String {
  /// The text, nil when a database cannot keep it.
  var ifStorable: String? { isStorable ? self : nil }
}
