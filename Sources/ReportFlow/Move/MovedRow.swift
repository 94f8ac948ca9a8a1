package import PhotoAttachments

/// The kinds of rows that a move copies besides photos, in this order. Each kind refers only to earlier ones.
package enum MovedKind: String, Sendable, CaseIterable {
  /// Marks of what was erased; they are moved before photos, too.
  case erasures
  /// Membership in the library.
  case library
  /// Files that this machine imported, and objects.
  case files
  /// Folders that this machine imported.
  case roots
  /// The attachments of drafts.
  case attachments
  /// Reports under way.
  case drafts
  /// Announcements, with the hashes of their passwords.
  case announcements
  /// Wrong passwords that are counted.
  case tries

  /// The fields that a row differs by from others.
  package var key: [String] {
    switch self {
    case .erasures: ["mark"]
    case .library: ["photo"]
    case .files, .roots: ["path"]
    case .attachments: ["draft"]
    case .drafts, .announcements: ["id"]
    case .tries: ["announcement", "client"]
    }
  }

  /// The order in which rows are read and recorded; announcements keep the one they were made in.
  package var order: [String] { self == .announcements ? ["number"] : key }

  /// The table of its rows.
  package var table: Table {
    switch self {
    case .erasures: .erasure
    case .library: .libraryPhoto
    case .files: .sourceFile
    case .roots: .importRoot
    case .attachments: .attachment
    case .drafts: .reportDraft
    case .announcements: .announcement
    case .tries: .wrongPassword
    }
  }

  /// Columns that follow from the fields, or from where the row lies.
  var derived: [String] {
    switch self {
    case .files, .roots: ["origin"]
    case .drafts: ["submission_key", "announcement_id", "is_submitted"]
    default: []
    }
  }

  /// Every field that is taken along: not attempts under way, and no numbers of this store.
  package var fields: [String] { Self.allFields[self] ?? [] }

  private static let allFields = Dictionary(
    uniqueKeysWithValues: allCases.map {
      ($0, $0.table.names(without: $0.derived + ["number", "ticket", "worker", "run"]))
    })
}

/// A row that is moved: every store knows its fields by these names.
package struct MovedRow: Sendable, Equatable {
  /// Its place in the order of its kind.
  package var place: [FieldValue]
  /// Each field of the kind by its name.
  package var fields: [String: FieldValue]

  /// The row of a store's answer: the values of the kind's order, then of its fields.
  package init(_ kind: MovedKind, _ values: [FieldValue]) {
    place = Array(values.prefix(kind.order.count))
    fields = Dictionary(
      uniqueKeysWithValues: zip(kind.fields, values.dropFirst(kind.order.count)))
    if kind == .attachments { settle() }
  }

  /// The values that identify it within its kind.
  package func key(_ kind: MovedKind) -> [FieldValue] { kind.key.map { fields[$0] ?? .null } }

  /// The values of a kind's fields, in their order.
  package func values(_ kind: MovedKind) -> [FieldValue] { kind.fields.map { fields[$0] ?? .null } }

  /// An attempt under way stays where it is made: the draft is moved as it is without one (decision 6).
  private mutating func settle() {
    guard fields["state"] == .text("loading") else { return }
    fields["state"] = .text(fields["photo"] == .null ? "empty" : "confirmed")
    fields["failure"] = .text("interrupted")
    fields["failed_at"] = fields["updated_at"]
  }
}

extension MovedRow {
  /// Whether the seal of a row of the library holds; rows of other kinds have none.
  func isSealed(_ kind: MovedKind) -> Bool {
    guard kind == .library else { return true }
    guard let photo = fields["photo"]?.text, let hash = fields["perceptual_hash"]?.number else {
      return false
    }
    return fields["seal"]?.text == Seal.library(photo: photo, perceptualHash: hash)
  }

  /// The marks by which it may have been erased (decision 44).
  package func marks(_ kind: MovedKind) -> [String] {
    func text(_ field: String) -> String? { fields[field]?.text }
    let draft = DraftMarks(of: kind == .drafts ? text("content") ?? "" : "")
    let marks: [String?] =
      switch kind {
      case .erasures, .roots: []
      case .library, .files:
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
