import PhotoAttachments
import ReportFlow

/// Where rows of a kind lie in the database file.
struct MovedTable {
  let kind: MovedKind
  let name: String
  /// What has to be true of a row `new` so that it can be recorded.
  let condition: String

  init(_ kind: MovedKind) {
    self.kind = kind
    switch kind {
    case .erasures: (name, condition) = ("erasure", "true")
    case .library:
      (name, condition) = ("library_photo", "EXISTS (SELECT 1 FROM photo WHERE id = new.photo)")
    case .files:
      name = "source_file"
      condition = """
        new.photo IS NULL OR EXISTS (SELECT 1 FROM library_photo WHERE photo = new.photo)
        """
    case .attachments:
      name = "attachment"
      condition = "new.photo IS NULL OR EXISTS (SELECT 1 FROM photo WHERE id = new.photo)"
    case .drafts: (name, condition) = ("report_draft", "true")
    case .announcements:
      name = "announcement"
      condition = """
        (new.photo_id IS NULL OR EXISTS (SELECT 1 FROM photo WHERE id = new.photo_id))
        AND (new.closed_at IS NOT NULL OR new.photo_id IS NULL OR NOT EXISTS (
          SELECT 1 FROM announcement AS other WHERE other.closed_at IS NULL
            AND other.photo_id IS NOT NULL AND other.microchip_number = new.microchip_number))
        """
    case .tries:
      name = "wrong_password"
      condition = "EXISTS (SELECT 1 FROM announcement WHERE id = new.announcement)"
    }
  }

  /// Whether the table is one of reports, which are made with the first of them.
  var isOfReports: Bool { [.drafts, .announcements, .tries].contains(kind) }

  /// What `MovedRow.init` takes, in its order.
  var reading: String { (kind.order + kind.fields).joined(separator: ", ") }

  private var derived: [String] {
    switch kind {
    case .files: ["origin"]
    case .drafts: ["submission_key", "announcement_id", "is_submitted"]
    default: []
    }
  }

  /// The columns that are written: a file is of this machine.
  var columns: String {
    (kind.fields + derived).joined(separator: ", ")
  }

  /// A row's values in the order of the columns.
  func values(_ row: MovedRow) -> [FieldValue] {
    switch kind {
    case .files: return row.values(kind) + [.text("")]
    case .drafts:
      let marks = DraftMarks(of: row.fields["content"]?.text ?? "")
      return row.values(kind) + [
        FieldValue(marks.submissionKey), FieldValue(marks.announcementID),
        FieldValue(marks.isSubmitted),
      ]
    default: return row.values(kind)
    }
  }
}
