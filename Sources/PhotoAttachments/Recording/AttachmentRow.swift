import Foundation

/// What a holder shows: a draft by a row of the table `attachment`, an announcement by its own row.
struct AttachmentRow {
  typealias Machine = AttachmentRecord.Machine

  /// The draft, or the announcement.
  let id: String
  let state: String
  let ticket: Int64?
  let photo, worker, failure: String?
  /// Milliseconds since 1970.
  let updatedAt: Int64
  /// Whether the database says that the process which works on the attempt lives.
  let isWorkerAlive: Bool

  /// What `init(_:)` reads.
  static func columns(_ dialect: Dialect) -> String {
    """
    draft, state, ticket, attachment.photo, worker, failure, attachment.updated_at,
    \(dialect.isSeen("attachment.worker"))
    """
  }
  /// How many those are.
  static let columnCount = 8

  init?(_ row: ResultRow) {
    guard let id = row.text(0), let state = row.text(1), let updated = row.number(6) else {
      return nil
    }
    (self.id, self.state, updatedAt) = (id, state, updated)
    (ticket, photo, worker, failure) = (row.number(2), row.text(3), row.text(4), row.text(5))
    isWorkerAlive = row.isTrue(7)
  }

  /// The state machine as it was left.
  var machine: Machine {
    get throws(StoreError) {
      try Machine(stored: state, photo: photo, ticket: ticket, failure: failure, of: id)
    }
  }

  /// Writes a machine's state; an attempt under way belongs to `worker`.
  static func write(
    _ machine: Machine, of holder: PhotoHolder, worker: String?, at now: Date, _ t: Transaction
  ) throws {
    let (ticket, photo) = (machine.ticket, FieldValue(machine.photo?.uuidString))
    switch holder {
    case .draft(let draft):
      try t.run(
        """
        INSERT INTO attachment
          (draft, state, ticket, photo, worker, failure, failed_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (draft) DO UPDATE SET state = excluded.state, ticket = excluded.ticket,
          photo = excluded.photo, worker = excluded.worker, failure = excluded.failure,
          failed_at = excluded.failed_at, updated_at = excluded.updated_at
        """,
        [
          .text(draft), .text(machine.storedState), FieldValue(ticket), photo,
          FieldValue(ticket == nil ? nil : worker), FieldValue(machine.failure),
          machine.failure == nil ? .null : .int(now.milliseconds), .int(now.milliseconds),
        ])
    case .announcement(let id):
      if ticket != nil { return }
      try t.run(
        """
        UPDATE announcement SET photo_id = $1, updated_at = $2,
          photo_sha256 = (SELECT "blobSHA256" FROM photo WHERE photo."id" = $1)
        WHERE announcement.id = $3
        """, [photo, .int(now.milliseconds), .text(id)])
    }
  }

  /// The rows of a condition, locked.
  static func lock(
    _ condition: String, _ values: [FieldValue], _ t: Transaction
  ) throws -> [AttachmentRow] {
    try t.rows(
      """
      SELECT \(columns(t.dialect)) FROM attachment WHERE \(condition)
      ORDER BY draft\(t.dialect.forUpdate)
      """, values
    ).compactMap(AttachmentRow.init)
  }

  /// The row of a holder, locked; when a draft has none, no other transaction makes one meanwhile.
  static func lock(_ holder: PhotoHolder, _ t: Transaction) throws -> AttachmentRow? {
    switch holder {
    case .draft(let draft):
      if let row = try lock("draft = $1", [.text(draft)], t).first { return row }
      guard try t.lock(.newDraft(draft)) else { return nil }
      return try lock("draft = $1", [.text(draft)], t).first
    case .announcement(let id):
      return try t.rows(
        """
        SELECT id, CASE WHEN photo_id IS NULL THEN 'empty' ELSE 'confirmed' END, NULL, photo_id,
          NULL, NULL, updated_at, NULL
        FROM announcement WHERE id = $1\(t.dialect.forUpdate)
        """, [.text(id)]
      ).first.flatMap(AttachmentRow.init)
    }
  }
}
