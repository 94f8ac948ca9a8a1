package import Foundation
package import PhotoAttachments

/// Limits the space of web drafts.
extension RecordedDrafts {
  /// Makes room in the space for web drafts by deleting other drafts and their photos (see `DraftSpace`). Deletes
  /// nothing if the possible deletions aren't enough.
  ///
  /// - Parameters:
  ///   - bytes: the size of the draft's new photo, which replaces its current one, or `nil` if the photo doesn't
  ///     change.
  ///   - draft: the draft that needs the room and stays, or `nil` if there is no such draft.
  ///   - client: the draft's client, or `nil` to check only the whole space.
  ///   - dryRun: only counts.
  package func makeRoom(
    for bytes: Int?, draft: String?, client: String?, in space: DraftSpace, at now: Date,
    dryRun: Bool
  ) throws(StoreError) -> DraftRoom {
    let catalog = photos.catalog
    let (room, going, gone) = try catalog.database.write(dryRun: dryRun) {
      t -> (DraftRoom?, [HeldDraft], [BlobPath]) in
      // Run these transactions one after the other, so that they don't delete more drafts than necessary.
      try t.lock(.draftSpace)
      let own = try draft.map { try Self.size(of: $0, with: bytes, t) }
      let others = Others(draft: FieldValue(draft), client: client, now: now.milliseconds)
      let (going, refusal) = try Self.draftsToDelete(to: own, others, in: space, t)
      var gone: [BlobPath] = []
      if dryRun { return (refusal, going, gone) }
      for draft in going {
        // Keep a draft that its client has written since, or for which it has begun a photo.
        let more = try catalog.expire(draft: draft.id, at: now, t) {
          try t.execute(
            "DELETE FROM report_draft WHERE id = $1 AND revision = $2",
            [.text(draft.id), .int(draft.revision)]) > 0
        }
        gone += more ?? []
      }
      return (refusal, going, gone)
    }
    let released = photos.releaseNow(gone)
    return room ?? .made(drafts: going.count, files: released.files, bytes: released.bytes)
  }

  /// Returns the bytes of a draft with its photo, or with a photo of the given size.
  private static func size(of draft: String, with photo: Int?, _ t: Transaction) throws -> Int {
    let row = try t.rows(
      "SELECT \(text), \(pictures) \(joined) WHERE report_draft.id = $1", [.text(draft)]
    ).first
    return Int(row?.number(0) ?? Int64(DraftSpace.bytesOfDraft))
      + (photo ?? Int(row?.number(1) ?? 0))
  }

  /// The drafts besides the one that needs the room.
  private struct Others {
    let draft: FieldValue
    let client: String?
    let now: Int64
  }

  /// Returns the drafts to delete so that a draft of `own` bytes fits. Checks the client's share first and then the
  /// whole space. Reads the drafts of all clients only if the space is used up.
  private static func draftsToDelete(
    to own: Int?, _ others: Others, in space: DraftSpace, _ t: Transaction
  ) throws -> (going: [HeldDraft], refusal: DraftRoom?) {
    var going: [HeldDraft] = []
    if let client = others.client, space.limitsClients {
      let theirs = try selectDrafts("client = $3", [.text(client)], others, t)
      guard let some = space.draftsToDelete(theirs, own: own, ofClient: true) else {
        return ([], .shareUsedUp)
      }
      going = some
    }
    let rest = try bytes(without: others.draft, t) - going.reduce(0) { $0 + $1.bytes }
    guard rest + (own ?? 0) > space.bytes else { return (going, nil) }
    let all = try selectDrafts("client IS NOT NULL", [], others, t).filter { !going.contains($0) }
    guard let more = space.draftsToDelete(all, own: own, ofClient: false) else {
      return ([], .spaceUsedUp)
    }
    return (going + more, nil)
  }

  /// Returns the bytes of all web drafts except one, including their photos.
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

  /// Returns the other drafts that match a condition, least recently touched first.
  private static func selectDrafts(
    _ condition: String, _ values: [FieldValue], _ others: Others, _ t: Transaction
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
      """, [others.draft, .int(others.now - Int64(DraftSpace.submissionSeconds) * 1000)] + values
    ).compactMap { row in
      guard let id = row.text(0), let revision = row.number(1), let bytes = row.number(2) else {
        return nil
      }
      return HeldDraft(id: id, revision: revision, bytes: Int(bytes), isDeletable: row.isTrue(3))
    }
  }

  private static let text = "(\(DraftSpace.bytesOfDraft) + text_bytes)"
  private static let pictures = "coalesce(\"blobSizeBytes\" + \"previewSizeBytes\", 0)"
  private static let joined = """
    FROM report_draft LEFT JOIN attachment ON draft = report_draft.id
    LEFT JOIN photo ON photo."id" = attachment.photo
    """
}
