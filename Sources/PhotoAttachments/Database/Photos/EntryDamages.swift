import Foundation

/// Finds catalog entries that refer to missing rows or were altered, for verification. Foreign keys prevent most of
/// this, but not on a damaged disk.
struct EntryDamages {
  let t: Transaction
  /// The origin of the files to check.
  let origin: String

  func all() throws -> [EntryDamage] {
    try attachments() + libraryPhotos() + sourceFiles() + assets() + others()
  }

  /// Returns the current problem with an entry; `nil` if it is intact.
  func problem(of entry: CatalogEntry) throws -> StoreProblem? {
    let damages =
      switch entry {
      case .attachment(let draft): try attachments(draft)
      case .library(let photo): try libraryPhotos(photo)
      case .source(let path): try sourceFiles(path)
      case .asset(let photo): try assets(photo)
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

  /// Finds files whose photo is missing or whose digest differs from the one in the photo's record.
  private func sourceFiles(_ path: Data? = nil) throws -> [EntryDamage] {
    try t.rows(
      """
      SELECT source_file.path, source_file.photo, library_photo.photo IS NULL,
        \(PhotoRows.columns)
      FROM source_file
        LEFT JOIN library_photo ON library_photo.photo = source_file.photo
        LEFT JOIN photo ON photo."id" = source_file.photo
      WHERE origin = $1 AND source_file.photo IS NOT NULL
        \(path == nil ? "" : "AND source_file.path = $2")
        AND (library_photo.photo IS NULL
          OR (tier IS NULL AND "sourceSHA256" IS NOT NULL
            AND sha256 IS DISTINCT FROM "sourceSHA256"))
      """, [.text(origin)] + (path.map { [.data($0)] } ?? [])
    ).compactMap { row in
      // If the photo's record was altered, its digest proves nothing. The altered record is reported elsewhere.
      guard let path = row.data(0),
        row.isTrue(2) || PhotoRows.record(row, from: 3)?.isSealed ?? false
      else { return nil }
      return EntryDamage(.source(path: path), photo: row.text(1), isDangling: row.isTrue(2))
    }
  }

  private func assets(_ photo: String? = nil) throws -> [EntryDamage] {
    try t.rows(
      """
      SELECT "id" FROM photo
      WHERE "assetIdentifier" IS NOT NULL AND ("id" = $1 OR CAST($1 AS text) IS NULL)
        AND NOT EXISTS (SELECT 1 FROM library_photo WHERE library_photo.photo = "assetIdentifier")
      """, [FieldValue(photo)]
    ).compactMap { $0.text(0) }
      .map { EntryDamage(.asset(photo: $0), photo: $0, isDangling: true) }
  }

  private func others() throws -> [EntryDamage] {
    try missedPhotos(in: t.fetch(PhotoReference.all(t))).map {
      EntryDamage(.other(photo: $0), photo: $0, isDangling: true)
    }
  }

  /// Returns IDs that any table refers to although there is no such photo.
  func missedPhotos() throws -> [String] {
    let own = ["attachment", "library_photo"].map {
      PhotoReference(table: $0, column: "\($0).photo", target: .id)
    }
    return try missedPhotos(in: own + t.fetch(PhotoReference.all(t)))
  }

  private func missedPhotos(in references: [PhotoReference]) throws -> [String] {
    var missed: Set<String> = []
    // Other references have no ID to report, and the database keeps them from dangling.
    for reference in references where reference.target == .id {
      missed.formUnion(
        try t.rows(
          """
          SELECT \(reference.column) FROM \(reference.table)
          WHERE \(reference.column) IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM photo WHERE photo."id" = \(reference.column))
          """
        ).compactMap { $0.text(0) })
    }
    return missed.sorted()
  }
}
