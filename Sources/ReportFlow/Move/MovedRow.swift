package import PhotoAttachments

/// The kinds of rows that a move copies besides photos, in this order. Each kind refers only to earlier ones.
package enum MovedKind: String, Sendable, CaseIterable {
  /// Erasure marks. They are moved first, even before photos.
  case erasures
  /// Membership in the library.
  case library
  /// The other places in which copies of library photos were found.
  case copies
  /// Files that this machine imported, and objects that any machine imported.
  case files
  /// Folders that this machine imported.
  case roots
  /// The attachments of drafts.
  case attachments
  /// The drafts of reports.
  case drafts
  /// Announcements, with the hashes of their passwords.
  case announcements
  /// Counts of wrong passwords.
  case tries

  /// The fields that identify a row within its kind.
  package var key: [String] {
    switch self {
    case .erasures: ["mark"]
    case .library: ["photo"]
    case .copies: ["photo", "folder", "name"]
    case .files, .roots: ["path"]
    case .attachments: ["draft"]
    case .drafts, .announcements: ["id"]
    case .tries: ["announcement", "client"]
    }
  }

  /// The order in which rows are read and inserted. Announcements keep the order in which they were created.
  package var order: [String] { self == .announcements ? ["number"] : key }

  package var table: Table {
    switch self {
    case .erasures: .erasure
    case .library: .libraryPhoto
    case .copies: .libraryCopy
    case .files: .sourceFile
    case .roots: .importRoot
    case .attachments: .attachment
    case .drafts: .reportDraft
    case .announcements: .announcement
    case .tries: .wrongPassword
    }
  }

  /// Columns that are derived from the fields or from the store that contains the row.
  var derived: [String] {
    switch self {
    case .files, .roots: ["origin"]
    case .drafts: ["submission_key", "announcement_id", "is_submitted"]
    default: []
    }
  }

  /// The fields that are copied. They exclude attempts in progress and numbers that only this store uses.
  package var fields: [String] { Self.allFields[self] ?? [] }

  private static let allFields = Dictionary(
    uniqueKeysWithValues: allCases.map {
      ($0, $0.table.names(without: $0.derived + ["number", "ticket", "worker", "run"]))
    })
}

/// A row to move. All stores use these field names.
package struct MovedRow: Sendable, Equatable {
  /// The row's position in the order of its kind.
  package var place: [FieldValue]
  /// The row's fields, by name.
  package var fields: [String: FieldValue]

  /// Creates a row from the values that a query returned: first those of the kind's order, then those of its fields.
  package init(_ kind: MovedKind, _ values: [FieldValue]) {
    place = Array(values.prefix(kind.order.count))
    fields = Dictionary(
      uniqueKeysWithValues: zip(kind.fields, values.dropFirst(kind.order.count)))
    if kind == .attachments { settle() }
  }

  /// Returns the values that identify the row within its kind.
  package func key(_ kind: MovedKind) -> [FieldValue] { kind.key.map { fields[$0] ?? .null } }

  package func values(_ kind: MovedKind) -> [FieldValue] { kind.fields.map { fields[$0] ?? .null } }

  /// Replaces an attempt in progress with the state before it, because the attempt stays in the source (decision 6).
  private mutating func settle() {
    guard fields["state"] == .text("loading") else { return }
    fields["state"] = .text(fields["photo"] == .null ? "empty" : "confirmed")
    fields["failure"] = .text("interrupted")
    fields["failed_at"] = fields["updated_at"]
  }
}

extension MovedRow {
  /// Returns `true` if the seal of a library row, a digest that detects altered fields (`Seal`), is valid. Rows of
  /// other kinds have no seal.
  func isSealed(_ kind: MovedKind) -> Bool {
    guard kind == .library else { return true }
    guard let photo = fields["photo"]?.text, let hash = fields["perceptual_hash"]?.number else {
      return false
    }
    return fields["seal"]?.text == Seal.library(photo: photo, perceptualHash: hash)
  }

  /// Returns the erasure marks that would match this row (decision 44).
  package func marks(_ kind: MovedKind) -> [String] {
    func text(_ field: String) -> String? { fields[field]?.text }
    let draft = DraftMarks(of: kind == .drafts ? text("content") ?? "" : "")
    let marks: [String?] =
      switch kind {
      case .erasures, .roots: []
      case .library, .copies, .files:
        [text("photo").map(ErasureMark.photo), text("photo").map(ErasureMark.library)]
      case .attachments: [text("photo").map(ErasureMark.photo)]
      case .drafts:
        [
          draft.announcementID.map(ErasureMark.announcement),
          draft.submissionKey.map(ErasureMark.submission),
        ]
      case .announcements:
        [
          text("id").map(ErasureMark.announcement),
          text("idempotency_key").map(ErasureMark.submission),
        ]
      case .tries: [text("announcement").map(ErasureMark.announcement)]
      }
    return marks.compactMap { $0 }
  }
}
