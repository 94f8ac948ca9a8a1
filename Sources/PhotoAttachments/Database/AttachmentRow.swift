import Foundation

/// A row of the table `attachment`: the state of a draft's attachment.
struct AttachmentRow {
  typealias Machine = AttachmentRecord.Machine

  /// The draft's identifier.
  let id: String
  let state: String
  let ticket: Int64?
  let photo, worker, failure: String?
  /// Milliseconds since 1970.
  let updatedAt: Int64
  let owner: AttachmentOwner
  /// `true` if the database shows that the process of the attempt is alive (`Dialect.isSeen`).
  let isWorkerAlive: Bool

  /// The columns that `init(_:)` reads.
  static func columns(_ dialect: Dialect) -> String {
    """
    draft, state, ticket, attachment.photo, worker, failure, attachment.updated_at,
    \(dialect.isSeen("attachment.worker")), owner
    """
  }
  /// The number of these columns.
  static let columnCount = 9

  init?(_ row: ResultRow) {
    guard let id = row.text(0), let state = row.text(1), let updated = row.number(6) else {
      return nil
    }
    self.id = id
    self.state = state
    ticket = row.number(2)
    photo = row.text(3)
    worker = row.text(4)
    failure = row.text(5)
    updatedAt = updated
    isWorkerAlive = row.isTrue(7)
    owner = row.text(8).flatMap(AttachmentOwner.init) ?? .host
  }

  /// `true` if the row shows a photo of a host, which only the host removes.
  var isKept: Bool { owner == .host && photo != nil }

  /// The stored state machine.
  var machine: Machine {
    get throws(StoreError) {
      try Machine(stored: state, photo: photo, ticket: ticket, failure: failure, of: id)
    }
  }

  /// Writes the state of a draft's attachment. `worker` is recorded as the owner of an attempt in progress.
  static func write(
    _ machine: Machine, of draft: String, owner: AttachmentOwner, worker: String?, at now: Date,
    _ t: Transaction
  ) throws {
    let ticket = machine.ticket
    try t.execute(
      """
      INSERT INTO attachment
        (draft, state, ticket, photo, worker, failure, failed_at, updated_at, owner)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (draft) DO UPDATE SET state = excluded.state, ticket = excluded.ticket,
        photo = excluded.photo, worker = excluded.worker, failure = excluded.failure,
        failed_at = excluded.failed_at, updated_at = excluded.updated_at,
        owner = excluded.owner
      """,
      [
        .text(draft), .text(machine.storedState), FieldValue(ticket),
        FieldValue(machine.photo?.uuidString), FieldValue(ticket == nil ? nil : worker),
        FieldValue(machine.failure), machine.failure == nil ? .null : .int(now.milliseconds),
        .int(now.milliseconds), .text(owner.rawValue),
      ])
  }

  /// Locks and returns the rows that match a condition.
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

  /// Locks and returns a draft's row. If it has no row, prevents other transactions from inserting one until this one
  /// ends.
  static func lock(draft: String, _ t: Transaction) throws -> AttachmentRow? {
    if let row = try lock("draft = $1", [.text(draft)], t).first { return row }
    guard try t.lock(.newDraft(draft)) else { return nil }
    return try lock("draft = $1", [.text(draft)], t).first
  }
}
