package import Foundation
package import PhotoAttachments

/// The space of web drafts.
extension RecordedDrafts {
  /// Makes room in the space of web drafts, see `DraftSpace`: other drafts give way, with their photos.
  /// When not enough can give way none does.
  ///
  /// - Parameters:
  ///   - bytes: what the draft's photo is to take in place of the one it has; nil leaves that as it is.
  ///   - draft: the draft that needs the room and stays; nil for none.
  ///   - client: its client; nil looks at the whole space alone.
  ///   - dryRun: only counts.
  package func makeRoom(
    for bytes: Int?, draft: String?, client: String?, in space: DraftSpace, at now: Date,
    dryRun: Bool
  ) throws(StoreError) -> DraftRoom {
    let catalog = photos.catalog
    let (plan, gone) = try catalog.database.write(dryRun: dryRun) { t -> (DraftPlan, [BlobPath]) in
      // One after the other, so that no two let more drafts give way than they have to.
      try t.lock(.draftSpace)
      let plan = try Self.plan(bytes, draft, client, space, at: now.milliseconds, t)
      var gone: [BlobPath] = []
      if dryRun { return (plan, gone) }
      for draft in plan.going {
        // A client that has written it or begun a photo since needs it.
        let more = try catalog.expire(draft: draft.id, at: now, t) {
          try t.run(
            "DELETE FROM report_draft WHERE id = $1 AND revision = $2",
            [.text(draft.id), .int(draft.revision)]) > 0
        }
        gone += more ?? []
      }
      return (plan, gone)
    }
    let released = photos.releaseNow(gone)
    return plan.room(files: released.files, bytes: released.bytes)
  }

  private static func plan(
    _ bytes: Int?, _ draft: String?, _ client: String?, _ space: DraftSpace, at now: Int64,
    _ t: Transaction
  ) throws -> DraftPlan {
    var own: Int?
    if let draft {
      let row = try t.rows(
        "SELECT \(text), \(pictures) \(joined) WHERE report_draft.id = $1", [.text(draft)]
      ).first
      own =
        Int(row?.number(0) ?? Int64(DraftSpace.bytesOfDraft))
        + (bytes ?? Int(row?.number(1) ?? 0))
    }
    let other = FieldValue(draft)
    return try DraftPlan(
      space, own: own, client: client,
      ofClient: {
        try held("client = $3", [FieldValue(client)], other, at: now, t)
      },
      total: { try Self.bytes(without: other, t) },
      ofAll: { try held("client IS NOT NULL", [], other, at: now, t) })
  }

  /// Bytes of web drafts, with their photos, but for one.
  package static func bytes(without draft: FieldValue, _ t: Transaction) throws -> Int {
    let row = try t.rows(
      """
      SELECT CAST((SELECT coalesce(sum(\(text)), 0) FROM report_draft
          WHERE client IS NOT NULL AND id IS DISTINCT FROM $1) AS bigint)
        + CAST((SELECT coalesce(sum(\(pictures)), 0) FROM attachment
          JOIN report_draft ON report_draft.id = draft
          JOIN photo ON photo."id" = attachment.photo
          WHERE client IS NOT NULL AND draft IS DISTINCT FROM $1) AS bigint)
      """, [draft]
    ).first
    return Int(row?.number(0) ?? 0)
  }

  /// Other drafts of a condition, those first that were touched longest ago.
  private static func held(
    _ condition: String, _ values: [FieldValue], _ draft: FieldValue, at now: Int64,
    _ t: Transaction
  ) throws -> [HeldDraft] {
    let touched = """
      CASE WHEN attachment.updated_at > report_draft.updated_at THEN attachment.updated_at
        ELSE report_draft.updated_at END
      """
    return try t.rows(
      """
      SELECT report_draft.id, revision, \(text) + \(pictures),
        coalesce(state, '') <> 'loading'
          AND (content NOT LIKE '%"submission":%' OR \(touched) < $2)
      \(joined)
      WHERE report_draft.id IS DISTINCT FROM $1 AND \(condition)
      ORDER BY \(touched), report_draft.id
      """, [draft, .int(now - Int64(DraftSpace.submissionSeconds) * 1000)] + values
    ).compactMap { row in
      guard let id = row.text(0), let revision = row.number(1), let bytes = row.number(2) else {
        return nil
      }
      return HeldDraft(id: id, revision: revision, bytes: Int(bytes), mayGo: row.isTrue(3))
    }
  }

  private static let text = "(\(DraftSpace.bytesOfDraft) + text_bytes)"
  private static let pictures = "coalesce(\"blobSizeBytes\" + \"previewSizeBytes\", 0)"
  private static let joined = """
    FROM report_draft LEFT JOIN attachment ON draft = report_draft.id
    LEFT JOIN photo ON photo."id" = attachment.photo
    """
}
