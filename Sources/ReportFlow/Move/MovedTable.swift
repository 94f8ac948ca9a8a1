import Foundation
import PhotoAttachments

/// The table of one kind of row, and the SQL with which a move reads and inserts its rows.
struct MovedTable {
  let kind: MovedKind
  var name: String { kind.table.name }
  /// The SQL condition for inserting a row `new`.
  let condition: String

  init(_ kind: MovedKind) {
    self.kind = kind
    let hasPhoto = "EXISTS (SELECT 1 FROM photo WHERE photo.\"id\" = new.photo)"
    condition =
      switch kind {
      case .erasures, .roots, .drafts: "true"
      case .library: hasPhoto
      case .copies: "EXISTS (SELECT 1 FROM library_photo WHERE library_photo.photo = new.photo)"
      case .files:
        """
        (new.photo IS NULL
          OR EXISTS (SELECT 1 FROM library_photo WHERE library_photo.photo = new.photo))
        """
      case .attachments: "(new.photo IS NULL OR \(hasPhoto))"
      case .announcements:
        """
        (new.photo_id IS NULL OR EXISTS (SELECT 1 FROM photo WHERE photo."id" = new.photo_id))
        AND (new.closed_at IS NOT NULL OR new.photo_id IS NULL OR NOT EXISTS (
          SELECT 1 FROM announcement AS other WHERE other.closed_at IS NULL
            AND other.photo_id IS NOT NULL AND other.microchip_number = new.microchip_number))
        """
      case .tries: "EXISTS (SELECT 1 FROM announcement WHERE announcement.id = new.announcement)"
      }
  }

  /// The columns that `MovedRow.init` reads, in order.
  var reading: String { (kind.order + kind.fields).joined(separator: ", ") }

  /// Returns the query that inserts a row unless its condition fails or its key exists.
  ///
  /// - Parameter origin: returns the origin of a file with this path.
  func insertion(
    _ row: MovedRow, _ dialect: Dialect, origin: (Data) -> String
  ) -> Query<Void> {
    let columns = kind.fields + kind.derived
    let names = columns.joined(separator: ", ")
    let marks = columns.enumerated().map { dialect.typed("$\($0 + 1)", kind.table.kind(of: $1)) }
    return Query(
      """
      WITH new (\(names)) AS (VALUES (\(marks.joined(separator: ", "))))
      INSERT INTO \(name) (\(names)) SELECT \(names) FROM new WHERE \(condition)
      ON CONFLICT DO NOTHING
      """, values(row, origin: origin))
  }

  private func values(_ row: MovedRow, origin: (Data) -> String) -> [FieldValue] {
    let values = row.values(kind)
    switch kind {
    case .files, .roots:
      guard case .data(let path)? = row.fields["path"] else { return values + [.null] }
      return values + [.text(origin(path))]
    case .drafts:
      let marks = DraftMarks(of: row.fields["content"]?.text ?? "")
      return values + [
        FieldValue(marks.submissionKey?.ifStorable),
        FieldValue(marks.announcementID?.ifStorable),
        FieldValue(marks.isSubmitted),
      ]
    default: return values
    }
  }
}
