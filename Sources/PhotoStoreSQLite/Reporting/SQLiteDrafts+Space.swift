public import Foundation
import GRDB
public import PhotoAttachments
public import ReportFlow
import Records

/// The space of web drafts.
extension SQLiteDrafts {
  /// See the protocol.
  public func makeRoom(
    for bytes: Int?, draft: String?, client: String?, in space: DraftSpace, at now: Date,
    dryRun: Bool
  ) throws(StoreError) -> DraftRoom {
    let catalog = try database.catalog
    let (plan, gone) = try database.write { db -> (DraftPlan, [BlobPath]) in
      let plan = try Self.plan(bytes, draft, client, space, at: now.milliseconds, in: db)
      var gone: [BlobPath] = []
      if dryRun { return (plan, gone) }
      for draft in plan.going {
        let more = try catalog.run(
          { t in
            try catalog.expire(draft: draft.id, at: now, t) {
              try t.run("DELETE FROM report_draft WHERE id = $1", [.text(draft.id)]) > 0
            }
          }, db)
        gone += more.value ?? []
      }
      return (plan, gone)
    }
    return plan.room(released: database.photos.releaseCounting(gone))
  }

  private static func plan(
    _ bytes: Int?, _ draft: String?, _ client: String?, _ space: DraftSpace, at now: Int64,
    in db: Database
  ) throws -> DraftPlan {
    var own: Int?
    if let draft {
      let row = try Row.fetchOne(
        db, sql: "SELECT \(text), \(pictures) \(joined) WHERE report_draft.id = ?",
        arguments: [draft])
      let (text, pictures): (Int?, Int?) = (row?[0], row?[1])
      own = (text ?? DraftSpace.bytesOfDraft) + (bytes ?? pictures ?? 0)
    }
    return try DraftPlan(
      space, own: own, client: client,
      ofClient: { try held("client = ?3", draft, client, at: now, in: db) },
      total: {
        try Int.fetchOne(
          db,
          sql: """
            SELECT (SELECT coalesce(sum(\(text)), 0) FROM report_draft
                WHERE client IS NOT NULL AND id IS NOT ?1)
              + (SELECT coalesce(sum(\(pictures)), 0) FROM attachment
                JOIN report_draft ON report_draft.id = draft
                JOIN photo ON photo.id = attachment.photo
                WHERE client IS NOT NULL AND draft IS NOT ?1)
            """, arguments: [draft]) ?? 0
      }, ofAll: { try held("client IS NOT NULL AND ?3 IS NULL", draft, nil, at: now, in: db) })
  }

  /// Other drafts of a condition, those first that were touched longest ago.
  private static func held(
    _ condition: String, _ draft: String?, _ client: String?, at now: Int64, in db: Database
  ) throws -> [HeldDraft] {
    let touched = "max(report_draft.updated_at, coalesce(attachment.updated_at, 0))"
    return try Row.fetchAll(
      db,
      sql: """
        SELECT report_draft.id, revision, \(text) + \(pictures),
          coalesce(state, '') <> 'loading'
            AND (\(mark("$.submission")) IS NULL OR \(touched) < ?2)
        \(joined)
        WHERE report_draft.id IS NOT ?1 AND \(condition)
        ORDER BY \(touched), report_draft.id
        """,
      arguments: [draft, now - Int64(DraftSpace.submissionSeconds) * 1000, client]
    ).map { HeldDraft(id: $0[0], revision: $0[1], bytes: $0[2], mayGo: $0[3]) }
  }

  private static let text = "(\(DraftSpace.bytesOfDraft) + text_bytes)"
  private static let pictures = "coalesce(blobSizeBytes + previewSizeBytes, 0)"
  private static let joined = """
    FROM report_draft LEFT JOIN attachment ON draft = report_draft.id
    LEFT JOIN photo ON photo.id = attachment.photo
    """
}
