import Foundation

/// Entries that point at nothing, or that are not as they were written. Foreign keys forbid most of
/// them; a damaged disk does not.
struct EntryDamages {
  let t: Transaction

  func all() throws -> [EntryDamage] { try attachments() + libraryPhotos() + others() }

  /// What is wrong with an entry now, nil when nothing is.
  func problem(of entry: CatalogEntry) throws -> StoreProblem? {
    let damages =
      switch entry {
      case .attachment(let draft): try attachments(draft)
      case .library(let photo): try libraryPhotos(photo)
      case .other(let photo): try others().filter { $0.photo == photo }
      }
    return damages.first?.problem
  }

  private func attachments(_ draft: String? = nil) throws -> [EntryDamage] {
    try t.rows(
      """
      SELECT \(AttachmentRow.columns(t.dialect)), attachment.photo IS NOT NULL AND photo."id" IS NULL
      FROM attachment LEFT JOIN photo ON photo."id" = attachment.photo
      WHERE draft = $1 OR CAST($1 AS text) IS NULL
      """, [FieldValue(draft)]
    ).compactMap { row in
      guard let attachment = AttachmentRow(row) else { return nil }
      let isDangling = row.isTrue(AttachmentRow.columnCount)
      if !isDangling, (try? attachment.machine) != nil { return nil }
      return EntryDamage(
        .attachment(draft: attachment.id), photo: attachment.photo, isDangling: isDangling)
    }
  }

  private func libraryPhotos(_ photo: String? = nil) throws -> [EntryDamage] {
    try t.rows(
      """
      SELECT library_photo.photo, perceptual_hash, library_photo.seal, photo."id" IS NULL
      FROM library_photo LEFT JOIN photo ON photo."id" = library_photo.photo
      WHERE library_photo.photo = $1 OR CAST($1 AS text) IS NULL
      """, [FieldValue(photo)]
    ).compactMap { row in
      guard let id = row.text(0), let hash = row.number(1) else { return nil }
      let isSealed = row.text(2) == Seal.library(photo: id, perceptualHash: hash)
      if isSealed, !row.isTrue(3) { return nil }
      return EntryDamage(.library(photo: id), photo: id, isDangling: row.isTrue(3))
    }
  }

  private func others() throws -> [EntryDamage] {
    try missed("announcement", "photo_id").map {
      EntryDamage(.other(photo: $0), photo: $0, isDangling: true)
    }
  }

  /// Ids that some table refers to although there is no such photo.
  func missedPhotos() throws -> [String] {
    let missed =
      try missed("attachment", "photo") + missed("library_photo", "photo")
      + missed("announcement", "photo_id")
    return Set(missed).sorted()
  }

  private func missed(_ table: String, _ column: String) throws -> [String] {
    try t.rows(
      """
      SELECT DISTINCT \(column) FROM \(table) WHERE \(column) IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM photo WHERE photo."id" = \(table).\(column)) ORDER BY \(column)
      """
    ).compactMap { $0.text(0) }
  }
}
